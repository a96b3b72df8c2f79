import * as Stores from "../../../../src/adapters/memory/builder/Stores.ts"
import { suite } from "../../../ports/builder/FirstSteps.suite.ts"

suite("memory", () => Stores.layer)
