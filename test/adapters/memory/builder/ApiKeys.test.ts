import * as Stores from "../../../../src/adapters/memory/builder/Stores.ts"
import { suite } from "../../../ports/builder/ApiKeys.suite.ts"

suite("memory", () => Stores.layer)
