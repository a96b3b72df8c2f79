import * as Stores from "../../../../src/adapters/memory/builder/Stores.ts"
import { suite } from "../../../ports/builder/UnitOfWork.suite.ts"

suite("memory", () => Stores.layer, { rollsBack: false })
