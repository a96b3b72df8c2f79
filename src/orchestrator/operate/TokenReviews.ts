/**
 * Compares the decimals of a chain's listed tokens with those of their contracts. Amounts, prices and limits of a token with wrong decimals
 * are wrong by powers of ten, so an alert stands while they differ.
 */
import { Effect, Layer, Option } from "effect"
import { encodeFunctionData, erc20Abi, hexToBigInt } from "viem"
import { size } from "../../domain/Hex.ts"
import { worksOn } from "../../domain/Role.ts"
import type { TokenInfo } from "../../domain/Token.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import * as Background from "../../runtime/Background.ts"
import { within } from "../../runtime/Within.ts"
import { ProcessShare } from "../shared/ProcessShare.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** Pause between reviews, in milliseconds. */
const PAUSE_MILLIS = 3_600_000

/** Pause after a review in which a token had no answer, in milliseconds. */
const RETRY_MILLIS = 300_000

/** Timeout of one answer. */
const LIMIT = "10 seconds"

/** Requests of a chain under way at a time. */
const CONCURRENCY = { concurrency: 4 } as const

const data = encodeFunctionData({ abi: erc20Abi, functionName: "decimals" })

/** Decimals that the contract states. None if it states none, which is no answer to go by. */
const stated = ({ call }: ChainClient, { address }: TokenInfo) =>
  call({ to: address, data }).pipe(
    Effect.map((answer) => (size(answer) === 32 ? Option.some(hexToBigInt(answer)) : Option.none())),
    Effect.catchTag("CallReverted", () => Effect.succeedNone)
  )

/** One review of a token. Returns false if the node did not answer, and leaves a standing alert then. */
const review = Effect.fnUntraced(function* (client: ChainClient, token: TokenInfo) {
  const alerts = yield* StandingAlerts
  const answer = yield* within(LIMIT)(Effect.option(stated(client, token)))
  const seen = Option.flatten(answer)
  if (Option.isNone(seen)) return false
  const { address, decimals, symbol } = token
  const { id, name } = client.chain
  const key = `token_decimals:${id}:${address}`
  if (Option.isNone(seen.value) || seen.value.value === BigInt(decimals)) {
    yield* alerts.clear(key)
    return true
  }
  const own = String(seen.value.value)
  yield* alerts.raise({
    key,
    severity: "critical",
    kind: "token_decimals",
    message: `The chains file gives ${symbol} on ${name} ${decimals} decimals, and its contract at ${address} has ${own}. Run \`sweep operate pause token:${id}:${address}\`, correct the chains file, and start the services again.`,
    details: { chainId: id, token: address, symbol, decimals, contractDecimals: own }
  })
  return true
})

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { all } = yield* Chains
    const share = yield* ProcessShare
    for (const client of all) {
      const { id, name, tokens } = client.chain
      if (!worksOn(share, "watch", id) || tokens.length === 0) continue
      let pauseMillis = RETRY_MILLIS
      const round = Effect.gen(function* () {
        pauseMillis = RETRY_MILLIS
        const answered = yield* Effect.forEach(tokens, (token) => review(client, token), CONCURRENCY)
        if (answered.every(Boolean)) pauseMillis = PAUSE_MILLIS
      })
      const supervised = Background.supervisor("token review", { chain: name, chainId: id })
      yield* Background.loop(supervised, { pauseMillis: Effect.sync(() => pauseMillis) }, round)
    }
  })
).pipe(Layer.provide(StandingAlerts.layer))
