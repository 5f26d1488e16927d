import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parseTemplateText } from "../../infra/local/cloudformation/tags.ts";
import { metricCatalogue } from "../../lib/edge/metrics.ts";
import { commandsOf, keeps, pages, root } from "./pages.ts";

type Section = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const all = pages();
const template = parseTemplateText(readFileSync(`${root}template.yaml`, "utf8")) as Readonly<Record<string, Section>>;
const { Parameters = {}, Outputs = {}, Resources = {}, Conditions = {} } = template;
const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as Readonly<
  Record<"scripts" | "dependencies" | "devDependencies", Record<string, string>>
>;
const { scripts } = manifest;
const alarms = Object.keys(Resources).filter((id) => Resources[id]?.["Type"] === "AWS::CloudWatch::Alarm");
const everything = all.map(({ text }) => text).join("\n");

/** All source text of some folders, the doctor's own words among it. */
const source = (folders: readonly string[]) =>
  folders
    .flatMap((folder) =>
      readdirSync(root + folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, "utf8")),
    )
    .join("\n");
const code = source(["lib", "functions", "infra"]);

describe.each(all.map((page) => [page.path, page] as const))("%s", (path, { text, fences }) => {
  test("every command is run by a test or marked as needing AWS", () => {
    for (const { language, marks, lines } of fences) {
      if (language === "mermaid") continue;
      expect({ language, marks, lines }).toMatchObject({
        language: "console",
        marks: expect.arrayContaining([expect.stringMatching(/^(local|ci|aws)$/)]),
      });
      expect(lines[0], `a block without a prompt in ${path}`).toMatch(/^\$ /);
    }
    // Indented blocks carry no mark.
    expect(text).not.toMatch(/^(?: {4,}|\t)(?:npm|npx|aws|sam|openssl|bash|node) /m);
  });

  test("only the walk and the README promise that a test runs their commands", () => {
    const local = fences.filter(({ marks }) => marks.includes("local"));
    expect(local.length > 0).toBe(["README.md", "docs/adopt.md"].includes(path));
  });

  test("every npm script exists", () => {
    const named = [...text.matchAll(/npm (?:run )?([a-z][a-z:-]*)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !Object.hasOwn(scripts, name) && name !== "ci")).toEqual([]);
  });

  test("every option that it gives to a script of ours is in that script's own help", () => {
    const typed = [...text.matchAll(/npm run ([a-z:]+) -- ([^`\n]+)/g)];
    const strange = typed.flatMap(([, script = "", rest = ""]) => {
      const [, folder = ""] = /^node (\S+)\/[\w-]+\.ts$/.exec(scripts[script] ?? "") ?? [];
      const known = source([folder, "infra/cli", "infra/doctor"]);
      const options = [...rest.matchAll(/(?<=^| )--([a-z][a-z-]+)/g)].map(([, option = ""]) => option);
      return options.flatMap((option) => (known.includes(`--${option}`) ? [] : [`${script} --${option}`]));
    });
    expect(strange).toEqual([]);
  });

  test("every link leads somewhere", () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    const dead = links.filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? root + path : resolve(dirname(root + path), file);
      if (!existsSync(target)) return true;
      return anchor !== undefined && !anchors(readFileSync(target, "utf8")).includes(anchor);
    });
    expect(dead).toEqual([]);
  });

  test("every parameter, output, alarm, metric and queue that it names exists", () => {
    const words = new Set([...prose(text).matchAll(/\b(?:[A-Z][a-z0-9]+){2,}\b/g)].map(([word]) => word));
    const known = new Set([
      ...[Parameters, Outputs, Resources, Conditions].flatMap((section) => Object.keys(section)),
      ...Object.keys(metricCatalogue),
      ...awsWords,
    ]);
    expect([...words].filter((word) => !known.has(word))).toEqual([]);
  });

  test("every tag and every code that it names is one of the code's", () => {
    const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, word = ""]) => word);
    const tags = quoted
      .filter((word) => /^drover:[a-z]/.test(word))
      .map((word) => word.replace(/(\/)?[A-Z_]*( = .*)?$/, "$1"));
    expect(tags.filter((tag) => !code.includes(tag))).toEqual([]);
    const codes = quoted.filter((word) => /^[a-z]+(?:_[a-z]+)+$/.test(word));
    expect(codes.filter((word) => !code.includes(word))).toEqual([]);
  });
});

test("every dependency has its line in the README", () => {
  const readme = all.find(({ path }) => path === "README.md")?.text ?? "";
  const rows = readme.slice(readme.indexOf("## Dependencies"));
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  const isTold = (name: string) => [name, name.replace("@aws-sdk/", "")].some((each) => rows.includes(`\`${each}\``));
  expect(names.filter((name) => !isTold(name))).toEqual([]);
});

test("every alarm has its line in docs/operations.md, and every metric its own", () => {
  const operations = all.find(({ path }) => path === "docs/operations.md")?.text ?? "";
  const rows = [...operations.matchAll(/^\| `(\w+)` /gm)].map(([, name = ""]) => name);
  expect(rows.sort()).toEqual([...alarms, ...Object.keys(metricCatalogue)].sort());
});

test("every kind of item in the ledger has its line in docs/architecture.md", () => {
  const text = all.find(({ path }) => path === "docs/architecture.md")?.text ?? "";
  const kept = [...source(["lib"]).matchAll(/\bpk: (?:`([a-z-]+#)|"([a-z-]+#?)[^"]*")/g)].map(
    ([, one = "", other = ""]) => one || other,
  );
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.filter((prefix) => !text.includes(`\`${prefix}`))).toEqual([]);
});

test.each(["zoomies", "kici"])("every code that %s can be refused with is on its page", (protocol) => {
  const text = all.find(({ path }) => path === `docs/${protocol}.md`)?.text ?? "";
  // A refusal is a status and a code; some say their one status once.
  const refusals = source([`lib/${protocol}`]).matchAll(
    /(?:\b\d{3},\s*(?:code: )?|\brefused\()"([a-z]+(?:_[a-z]+)+)"/g,
  );
  const codes = [...new Set([...refusals].map(([, code = ""]) => code))];
  expect(codes.length).toBeGreaterThan(20);
  expect(codes.filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
});

test("every parameter and every output is told of somewhere", () => {
  const untold = [...Object.keys(Parameters), ...Object.keys(Outputs)].filter((name) => !everything.includes(name));
  expect(untold).toEqual([]);
});

test("what the pipeline is said to run, it runs", () => {
  const ci = all.flatMap(({ fences }) => fences.filter(({ marks }) => marks.includes("ci")).flatMap(commandsOf));
  const pipeline = readFileSync(`${root}.ci/run`, "utf8");
  expect(ci.map(({ line }) => line)).toEqual(["npm test"]);
  expect(pipeline).toContain("run_tests test\n");
});

test("a promise is kept in order, and `...` stands for anything in its line", () => {
  const printed = "one i-123 here\nnoise\ntwo (2)\n";
  expect(keeps(printed, ["one i-... here", "two (2)"])).toBe(true);
  expect(keeps(printed, ["two (2)", "one i-... here"])).toBe(false);
  expect(keeps(printed, ["one"])).toBe(false);
});

/** Words of AWS and of the peers that are written like our own names. */
const awsWords = [
  "AutoScaling",
  "ClientToken",
  "CreateLaunchTemplateVersion",
  "CreateOrUpdateTags",
  "CreateTags",
  "CloudFormation",
  "CloudWatch",
  "DescribeInstanceAttribute",
  "DynamoDB",
  "EventBridge",
  "GitHub",
  "InsufficientInstanceCapacity",
  "MaxSize",
  "MinSize",
  "RunInstances",
  "SecretString",
  "TagKeys",
  "TerminateInstances",
  "UpdateAutoScalingGroup",
];

/** Without fences and links' addresses. */
const prose = (text: string) => text.replace(/^ *```[\s\S]*?^ *```$/gm, "").replace(/\]\([^)]*\)/g, "]");

/** Headings as a page's anchors. */
const anchors = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, "")
      .replaceAll(" ", "-"),
  );
