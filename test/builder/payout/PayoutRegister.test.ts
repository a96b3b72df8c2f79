import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as MemoryStores from "../../../src/adapters/memory/builder/Stores.ts"
import { PayoutDesk } from "../../../src/builder/payout/PayoutDesk.ts"
import { BuilderSettings } from "../../../src/builder/shared/BuilderSettings.ts"
import { builderDefaults } from "../../../src/config/Builder.ts"
import { type ChainClient, Chains } from "../../../src/ports/shared/Chains.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import { suite } from "../../ports/builder/PayoutRegister.suite.ts"
import { registerOn } from "./PayoutScene.ts"

const deskOn = (client: ChainClient) =>
  PayoutDesk.layer.pipe(
    Layer.provideMerge(MemoryStores.layer),
    Layer.provide([
      BuilderSettings.layer(builderDefaults),
      SecureRandom.layerWebCrypto,
      Layer.succeed(Chains, { all: [client], get: () => Effect.succeed(client) }),
      Layer.succeed(Screening, { clear: () => Effect.void })
    ])
  )

suite("the desk in the same process", (client) =>
  Layer.unwrap(Effect.map(PayoutDesk, (desk) => registerOn(desk))).pipe(Layer.provideMerge(deskOn(client)), Layer.fresh)
)
