/** One real local chain per test file, with everything deployed, and the {@link Chains} port on it. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { Context, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import * as EvmChains from "../../src/adapters/evm/chains/Chains.ts"
import * as DevChain from "../../src/devnet/DevChain.ts"
import type { Chain } from "../../src/domain/Chain.ts"
import type { Chains } from "../../src/ports/shared/Chains.ts"
import { withLiveClock } from "./LiveClock.ts"

export class OneChain extends Context.Service<OneChain, DevChain.DevChain>()("sweep/test/OneChain") {
  static readonly layer = Layer.effect(OneChain, withLiveClock(DevChain.start({ id: 31337, name: "source" }))).pipe(
    Layer.provide(BunServices.layer),
    Layer.orDie
  )
}

/** The chain as the service sees it, after `change`: for what happens when its configuration is wrong. */
export const chainsWith = (change: (chain: Chain) => Chain): Layer.Layer<Chains, never, OneChain> =>
  Layer.unwrap(
    Effect.map(OneChain, ({ chain, rpcUrl }) => EvmChains.layer([{ chain: change(chain), rpcUrls: [rpcUrl] }]))
  ).pipe(Layer.provide(FetchHttpClient.layer))

export const chains: Layer.Layer<Chains | OneChain> = chainsWith((chain) => chain).pipe(
  Layer.provideMerge(OneChain.layer)
)
