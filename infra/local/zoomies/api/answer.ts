/** One request to the API, after its bytes. `path` is below `/api/v1`. */
export type ApiRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string>>;
  body: unknown;
};

export type ApiAnswer = { status: number; body?: unknown; headers?: Readonly<Record<string, string>> };

/** An answer that stops a call on its way (notes 4: errors are `{"error":{"code","message","field","detail"}}`). */
export class ApiError extends Error {
  readonly answer: ApiAnswer;

  constructor(status: number, code: string, message: string, field = "") {
    super(message);
    this.answer = { status, body: { error: { code, message, field, detail: "" } } };
  }
}

export const notFound = (what: string) => new ApiError(404, "not_found", `There is no such ${what}.`);
export const conflict = (message: string) => new ApiError(409, "conflict", message);
export const unprocessable = (field: string, message: string) => new ApiError(422, "unprocessable", message, field);

/** A long list in the API's pages: 50 rows by default, 500 at most (notes 4). */
export function page(rows: readonly unknown[], query: URLSearchParams): ApiAnswer {
  const limit = Math.min(500, Math.max(1, number(query, "limit") ?? 50));
  const offset = Math.max(0, number(query, "offset") ?? 0);
  return { status: 200, body: { items: rows.slice(offset, offset + limit), total: rows.length, limit, offset } };
}

function number(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw unprocessable(name, `${name} must be a whole number.`);
  return Number(text);
}
