import { deployTools } from "../../infra/build/deploy-tools.ts";
import { pythonTools } from "../../infra/build/python-tools.ts";

// The translator is the one that SAM CLI 1.170 brings: the transform that runs here is the one that `sam validate` linted. A virtual
// environment of its own, because MiniStack and SAM CLI pin different versions of botocore.
const requirements = ["ministack==1.5.33", "aws-sam-translator==1.115.0"];

/** The folder that holds the Python that has MiniStack. */
export const ministackTools = (): string => pythonTools("ministack", requirements);

/** Before any test, and outside of its time: what is not installed yet is installed now. */
export function setup(): void {
  deployTools();
  ministackTools();
}
