/** The launch hook of the example group: twice the default join deadline, and hosts live while Drover is down. */
export const launchHook = {
  name: "drover-join",
  transition: "launching",
  heartbeatTimeout: 1_200,
  defaultResult: "CONTINUE",
} as const;
