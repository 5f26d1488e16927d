/** The contract's sample body. */
export const sampleEvent = {
  schema_version: 1,
  event_id: "k5v3mq7xw2ratn4zcy6p",
  type: "capacity_demand",
  timestamp: "2026-09-05T12:00:00Z",
  pool_id: "pool_123",
  host_selector: { zone: "eu-west-1" },
  backend: "docker",
  required_runner_slots: 3,
  current_capacity: 8,
  queued_job_count: 3,
  oldest_queue_age_seconds: 74,
};

/** A scale-down as the sender makes one. */
export const sampleScaleDown = {
  ...sampleEvent,
  type: "scale_down_opportunity",
  required_runner_slots: -2,
  queued_job_count: 0,
  oldest_queue_age_seconds: 0,
};
