import { Layer } from "effect"
import * as Accounts from "../../../../src/adapters/memory/builder/Accounts.ts"
import * as Books from "../../../../src/adapters/memory/builder/Books.ts"
import { suite } from "../../../ports/builder/Payouts.suite.ts"

suite("memory", () => Books.layer.pipe(Layer.provideMerge(Accounts.layer)))
