import * as Stores from "../../../../src/adapters/memory/builder/Stores.ts"
import { suite } from "../../../ports/builder/Ledger.suite.ts"

suite("memory", () => Stores.layer, { histories: 100, commands: 120 })
