/** Where a client of the local world goes: the simulator takes any credentials; without these the SDK would look for real ones. */
export const localClient = (url: string | undefined) =>
  url === undefined
    ? {}
    : { endpoint: url, region: "eu-west-1", credentials: { accessKeyId: "local", secretAccessKey: "local" } };
