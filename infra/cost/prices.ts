/** USD in us-east-1, and what AWS gives every account for good each month. Read on the pages named, December 2026. */
export interface Price {
  readonly usd: number;
  readonly per: number;
  /** Always free each month, in the same unit; offers that end after a year are left out. */
  readonly free: number;
  readonly source: string;
}

export const prices = {
  lambdaRequests: { usd: 0.2, per: 1e6, free: 1e6, source: "https://aws.amazon.com/lambda/pricing/" },
  /** arm64 */
  lambdaGbSeconds: { usd: 0.0000133334, per: 1, free: 400_000, source: "https://aws.amazon.com/lambda/pricing/" },
  apiRequests: { usd: 1, per: 1e6, free: 0, source: "https://aws.amazon.com/api-gateway/pricing/" },
  tableReads: { usd: 0.125, per: 1e6, free: 0, source: "https://aws.amazon.com/dynamodb/pricing/on-demand/" },
  tableWrites: { usd: 0.625, per: 1e6, free: 0, source: "https://aws.amazon.com/dynamodb/pricing/on-demand/" },
  secrets: { usd: 0.4, per: 1, free: 0, source: "https://aws.amazon.com/secrets-manager/pricing/" },
  secretReads: { usd: 0.05, per: 10_000, free: 0, source: "https://aws.amazon.com/secrets-manager/pricing/" },
  scheduledRuns: { usd: 1, per: 1e6, free: 14e6, source: "https://aws.amazon.com/eventbridge/pricing/" },
  queueRequests: { usd: 0.4, per: 1e6, free: 1e6, source: "https://aws.amazon.com/sqs/pricing/" },
  logGigabytes: { usd: 0.5, per: 1, free: 5, source: "https://aws.amazon.com/cloudwatch/pricing/" },
  customMetrics: { usd: 0.3, per: 1, free: 10, source: "https://aws.amazon.com/cloudwatch/pricing/" },
  alarmMetrics: { usd: 0.1, per: 1, free: 10, source: "https://aws.amazon.com/cloudwatch/pricing/" },
  dashboards: { usd: 3, per: 1, free: 3, source: "https://aws.amazon.com/cloudwatch/pricing/" },
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
