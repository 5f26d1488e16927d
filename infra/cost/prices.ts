/**
 * USD in us-east-1, and what AWS gives every account for good each month. AWS's pages fill their price tables in by script, so most
 * numbers were read in copies of them: `seen` says where and of when. `page` is where to look before money depends on it.
 */
export interface Price {
  readonly usd: number;
  readonly per: number;
  /** Always free each month, in the same unit; offers that end after a year are left out. */
  readonly free: number;
  /** AWS's own page. */
  readonly page: string;
  readonly seen: string;
}

const transcript = "the page's own text, transcribed 2026-09-20 at github.com/api-evangelist";
const lambda = "https://aws.amazon.com/lambda/pricing/";
const dynamodb = {
  page: "https://aws.amazon.com/dynamodb/pricing/on-demand/",
  seen: "airbyte.com/data-engineering-resources/dynamodb-pricing of July 2025; halved in November 2024 (AWS News Blog)",
};
const secretsManager = { page: "https://aws.amazon.com/secrets-manager/pricing/", seen: transcript };
const cloudwatch = "https://aws.amazon.com/cloudwatch/pricing/";
const cloudwatchFree = "the free amount not verified";

export const prices = {
  lambdaRequests: { usd: 0.2, per: 1e6, free: 1e6, page: lambda, seen: transcript },
  /** arm64 */
  lambdaGbSeconds: {
    usd: 0.0000133334,
    per: 1,
    free: 400_000,
    page: lambda,
    seen: `cloudchipr.com/blog/aws-lambda-pricing of 2024 and the table in npm's artillery 2.0.28; free: ${transcript}`,
  },
  apiRequests: { usd: 1, per: 1e6, free: 0, page: "https://aws.amazon.com/api-gateway/pricing/", seen: transcript },
  tableReads: { usd: 0.125, per: 1e6, free: 0, ...dynamodb },
  tableWrites: { usd: 0.625, per: 1e6, free: 0, ...dynamodb },
  secrets: { usd: 0.4, per: 1, free: 0, ...secretsManager },
  secretReads: { usd: 0.05, per: 10_000, free: 0, ...secretsManager },
  scheduledRuns: {
    usd: 1,
    per: 1e6,
    free: 14e6,
    page: "https://aws.amazon.com/eventbridge/pricing/",
    seen: "cloudburn.io/blog/amazon-eventbridge-pricing of March 2026",
  },
  queueRequests: {
    usd: 0.4,
    per: 1e6,
    free: 1e6,
    page: "https://aws.amazon.com/sqs/pricing/",
    seen: "cloudburn.io/blog/amazon-sqs-pricing of March 2026",
  },
  logGigabytes: {
    usd: 0.5,
    per: 1,
    free: 5,
    page: cloudwatch,
    seen: `factualminds.com/blog of June 2026; ${cloudwatchFree}`,
  },
  customMetrics: {
    usd: 0.3,
    per: 1,
    free: 10,
    page: cloudwatch,
    seen: "signoz.io/guides/cloudwatch-pricing of February 2026; free: github.com/api-evangelist/cloudwatch, May 2026",
  },
  alarmMetrics: {
    usd: 0.1,
    per: 1,
    free: 10,
    page: cloudwatch,
    seen: `c3x.dev/resources/aws/aws_cloudwatch_metric_alarm, undated; ${cloudwatchFree}`,
  },
  dashboards: {
    usd: 3,
    per: 1,
    free: 3,
    page: cloudwatch,
    seen: `factualminds.com/blog of June 2026; ${cloudwatchFree}`,
  },
} as const satisfies Readonly<Record<string, Price>>;

/** What a month uses, by price. */
export type Usage = Readonly<Record<keyof typeof prices, number>>;

/** USD of a month. */
export function monthlyUsd(usage: Usage, freeTier: boolean): number {
  return (Object.keys(prices) as (keyof typeof prices)[]).reduce((sum, name) => {
    const { usd, per, free } = prices[name];
    return sum + (Math.max(0, usage[name] - (freeTier ? free : 0)) * usd) / per;
  }, 0);
}
