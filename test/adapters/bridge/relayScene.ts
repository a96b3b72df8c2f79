/** Relay over HTTP, with a stub in place of the service and two chains whose nodes say what a test wants. */
import { Context, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import * as MemoryIdempotency from "../../../src/adapters/memory/shared/Idempotency.ts"
import * as Health from "../../../src/adapters/providers/Health.ts"
import * as Relay from "../../../src/adapters/bridge/Relay.ts"
import type { NamedBridge } from "../../../src/adapters/bridge/BestBridge.ts"
import type { BridgeRequest } from "../../../src/ports/orchestrator/Bridge.ts"
import { BridgeFlights } from "../../../src/ports/orchestrator/BridgeFlights.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import { Idempotency } from "../../../src/ports/shared/Idempotency.ts"
import { address } from "../../support/FakeChain.ts"
import { type Answer, StubServer } from "../../support/StubServer.ts"
import * as FakeEnds from "./fakeEnds.ts"
import { answerTo, DEPOSITORY, request as asked } from "./relayAnswers.ts"

const TARGETS = [{ name: "relay", kind: "bridge", address: DEPOSITORY }] as const

/** Messenger of CCTP on the destination. */
export const MESSENGER = address(0x71)

/** SpokePools of the source: the current one, and one that it had before. */
export const SOURCE_POOLS = [address(0x5e), address(0x5f)] as const

export const request: BridgeRequest = { ...asked, deadline: 2n ** 40n }

export const QUOTE: Answer = { status: 200, body: answerTo(asked) }

/** Prices of the tokens, in millionths of a US dollar, and the value that may be under way, in US dollars scaled by 10^18. */
const terms = () => {
  const prices = new Map<string, bigint | undefined>()
  const flights = { room: 10n ** 24n }
  const usd: Prices["Service"]["usd"] = (_chainId, tokens) =>
    Effect.succeed(
      new Map(
        tokens.flatMap((token) => {
          const price = prices.has(token.address) ? prices.get(token.address) : 1_000_000n
          return price === undefined ? [] : [[token.address, price * 10n ** 12n] as const]
        })
      )
    )
  const layer = Layer.mergeAll(
    Layer.succeed(Prices, { usd, detailed: () => Effect.die("not asked for") }),
    Layer.succeed(BridgeFlights, {
      room: () => Effect.sync(() => flights.room),
      reserve: () => Effect.succeed(true),
      releaseQuoted: () => Effect.void
    })
  )
  return { flights, layer, setPrice: (token: string, price: bigint | undefined) => prices.set(token, price) }
}

const TOKENS = [asked.tokenIn, asked.tokenOut].map((address) => ({
  chainId: FakeEnds.SOURCE,
  address,
  symbol: "USDC",
  name: "USD Coin",
  decimals: 6
}))

export const scene = Effect.fnUntraced(function* (options: Partial<Relay.Options> = {}) {
  const stub = yield* StubServer
  const fake = FakeEnds.make(TARGETS, TOKENS, {
    destinationTargets: [{ name: "cctp", kind: "bridge", address: MESSENGER }],
    sourcePools: { spokePool: SOURCE_POOLS[0], formerSpokePools: [SOURCE_POOLS[1]] }
  })
  const { layer, ...told } = terms()
  const environment = yield* Layer.build(Layer.mergeAll(fake.layer, MemoryIdempotency.layer, layer))
  const relay = yield* Relay.make({ apiUrl: stub.url, isOffered: true, ...options }).pipe(Effect.provide(environment))
  const idempotency = Context.get(environment, Idempotency)
  return { ...fake, ...told, idempotency, relay, stub, bridge: relay.bridge }
})

export const http = Layer.mergeAll(
  StubServer.answering(() => QUOTE),
  FetchHttpClient.layer,
  Health.layer
)

export const failureOf = ({ bridge }: Pick<NamedBridge, "bridge">, wanted: BridgeRequest = request) =>
  Effect.map(Effect.flip(bridge.route(wanted)), ({ _tag, detail }) => `${_tag}: ${detail}`)
