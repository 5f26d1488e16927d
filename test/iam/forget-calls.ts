import { forgetCalls } from "./made-calls.ts";

export const setup = forgetCalls;
