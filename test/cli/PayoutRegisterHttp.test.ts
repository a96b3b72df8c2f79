import * as BunServices from "@effect/platform-bun/BunServices"
import { ConfigProvider, Effect, Layer } from "effect"
import * as BuilderClient from "../../src/cli/BuilderClient.ts"
import * as PayoutRegisterHttp from "../../src/cli/PayoutRegisterHttp.ts"
import { type ChainClient, Chains, UnsupportedChain } from "../../src/ports/shared/Chains.ts"
import { suite } from "../ports/builder/PayoutRegister.suite.ts"
import * as Harness from "../server/builder/Harness.ts"

const chainsOf = (client: ChainClient) =>
  Layer.succeed(Chains, {
    all: [client],
    get: (chainId) =>
      chainId === client.chain.id ? Effect.succeed(client) : Effect.fail(new UnsupportedChain({ chainId }))
  })

const register = Layer.unwrap(
  Effect.gen(function* () {
    const env = { BUILDER_URL: yield* Harness.url, BUILDER_ADMIN_TOKEN: Harness.ADMIN_TOKEN }
    const connection = yield* BuilderClient.connect.pipe(
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))),
      Effect.provide(BunServices.layer)
    )
    return PayoutRegisterHttp.layer(connection)
  })
)

suite("the admin API", (client) => register.pipe(Layer.provideMerge(Harness.layer({ chains: chainsOf(client) }))))
