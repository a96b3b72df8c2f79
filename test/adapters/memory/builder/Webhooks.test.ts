import * as Stores from "../../../../src/adapters/memory/builder/Stores.ts"
import { suite } from "../../../ports/builder/Webhooks.suite.ts"

suite("memory", () => Stores.layer)
