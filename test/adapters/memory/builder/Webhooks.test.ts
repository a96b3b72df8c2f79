import { Layer } from "effect"
import * as Accounts from "../../../../src/adapters/memory/builder/Accounts.ts"
import * as Sweeps from "../../../../src/adapters/memory/builder/Sweeps.ts"
import * as Webhooks from "../../../../src/adapters/memory/builder/Webhooks.ts"
import * as SweepsSuite from "../../../ports/builder/Sweeps.suite.ts"
import * as WebhooksSuite from "../../../ports/builder/Webhooks.suite.ts"

const stores = () => Layer.mergeAll(Sweeps.layer, Webhooks.layer).pipe(Layer.provideMerge(Accounts.layer))

SweepsSuite.suite("memory", stores)
WebhooksSuite.suite("memory", stores)
