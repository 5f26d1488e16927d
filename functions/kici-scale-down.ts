import { environment } from "../lib/edge/environment.ts";
import { doorParts } from "../lib/kici/door-parts.ts";
import { scaleDownDoor } from "../lib/kici/scale-down-door.ts";
import { teardownParts } from "../lib/kici/teardown-parts.ts";

const env = environment(process.env);

/** `POST /kici/scale-down` */
export const handler = scaleDownDoor({ ...teardownParts(env).parts, ...doorParts(env) });
