import { environment } from "../lib/edge/environment.ts";
import { doorParts } from "../lib/kici/door-parts.ts";
import { launchParts } from "../lib/kici/launch-parts.ts";
import { scaleUpDoor } from "../lib/kici/scale-up-door.ts";

const env = environment(process.env);

/** `POST /kici/scale-up` */
export const handler = scaleUpDoor({ ...launchParts(env), ...doorParts(env) });
