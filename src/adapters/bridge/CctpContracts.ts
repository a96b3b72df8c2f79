/**
 * Reads Circle's contracts on both ends of a transfer. The chains say which domains they are, which messengers trust each other, and which
 * token is minted for the burned one, so nothing of it is configured or taken from a service.
 */
import { Clock, Effect, Option } from "effect"
import { type Abi, decodeFunctionResult, encodeFunctionData, parseAbi } from "viem"
import * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import { NoRoute } from "../../ports/orchestrator/SwapVenue.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as CctpDeposit from "./CctpDeposit.ts"
import type { Ends } from "./CctpMessage.ts"

/** Name of the bridge in settings, quotes and logs, and of its `targets` in the chains file. */
export const NAME = "cctp"

export const noRoute = (detail: string) => new NoRoute({ detail: `${NAME}: ${detail}` })

/** The contracts of a transfer of one token. */
export interface Contracts extends Ends {
  /** Token that is minted on the destination. */
  readonly tokenOut: Address.Address
  /** Largest amount of one burn. 0 if the token cannot be burned. */
  readonly burnLimit: bigint
}

/** TokenMessengerV2, MessageTransmitterV2 and TokenMinterV2. */
export const contractsAbi = parseAbi([
  "function localMessageTransmitter() view returns (address)",
  "function localMinter() view returns (address)",
  "function remoteTokenMessengers(uint32 domain) view returns (bytes32)",
  "function localDomain() view returns (uint32)",
  "function burnLimitsPerMessage(address token) view returns (uint256)",
  "function getLocalToken(uint32 remoteDomain, bytes32 remoteToken) view returns (address)"
])

/** Time for which the answers count. Circle changes them when it replaces a contract. */
const LIFETIME_MILLIS = 600_000

/** Answers that are kept. Anybody may ask for a route of any token. */
const CAPACITY = 500

/** Calls one function. A contract that does not have it is not Circle's. */
const ask = Effect.fnUntraced(function* (
  client: ChainClient,
  to: Address.Address,
  functionName: string,
  args: ReadonlyArray<unknown> = []
) {
  const abi: Abi = contractsAbi
  const foreign = noRoute(`${to} on ${client.chain.name} is not a contract of CCTP`)
  const data = encodeFunctionData({ abi, functionName, args })
  const answer = yield* client.call({ to, data }).pipe(Effect.catchTag("CallReverted", () => Effect.fail(foreign)))
  return yield* Effect.try({
    try: () => decodeFunctionResult({ abi, functionName, data: answer }) as unknown,
    catch: () => foreign
  })
})

const askAddress = (...call: Parameters<typeof ask>) =>
  Effect.map(ask(...call), (answer) => Address.of(answer as Address.Address))

const readEnd = Effect.fnUntraced(function* (client: ChainClient, messenger: Address.Address) {
  const [transmitter, minter] = yield* Effect.all(
    [askAddress(client, messenger, "localMessageTransmitter"), askAddress(client, messenger, "localMinter")],
    { concurrency: "unbounded" }
  )
  const domain = (yield* ask(client, transmitter, "localDomain")) as number
  return { client, messenger, transmitter, minter, domain }
})

type End = Effect.Success<ReturnType<typeof readEnd>>

/** Fails unless the messenger of one end takes the other one for that of its domain. */
const assertTrust = Effect.fnUntraced(function* ({ client, messenger }: End, other: End) {
  const known = (yield* ask(client, messenger, "remoteTokenMessengers", [other.domain])) as Hex
  if (known.toLowerCase() === CctpDeposit.word(other.messenger)) return
  return yield* noRoute(`${client.chain.name} does not know the messenger of ${other.client.chain.name}`)
})

const readBoth = Effect.fnUntraced(function* (
  source: ChainClient,
  messenger: Address.Address,
  token: Address.Address,
  destination: ChainClient
): Effect.fn.Return<Contracts, NoRoute | ChainUnavailable> {
  const named = (destination.chain.targets ?? []).find(({ kind, name }) => kind === "bridge" && name === NAME)
  if (named === undefined) return yield* noRoute(`no messenger is named on ${destination.chain.name}`)
  const [from, to] = yield* Effect.all([readEnd(source, messenger), readEnd(destination, named.address)], {
    concurrency: "unbounded"
  })
  yield* Effect.all([assertTrust(from, to), assertTrust(to, from)], { concurrency: "unbounded" })
  const [burnLimit, tokenOut] = yield* Effect.all(
    [
      ask(source, from.minter, "burnLimitsPerMessage", [token]),
      askAddress(destination, to.minter, "getLocalToken", [from.domain, CctpDeposit.word(token)])
    ],
    { concurrency: "unbounded" }
  )
  return {
    sourceDomain: from.domain,
    destinationDomain: to.domain,
    messenger,
    transmitter: from.transmitter,
    destinationMessenger: to.messenger,
    destinationTransmitter: to.transmitter,
    tokenOut,
    burnLimit: burnLimit as bigint
  }
})

/** Makes `read(source, messenger, token, destination)`. Fails with `NoRoute` if the ends do not fit together. */
export const make = () => {
  const known = LatestMap.make<string, { readonly untilMs: number; readonly contracts: Contracts }>(CAPACITY)
  return Effect.fn("CctpContracts.read")(function* (
    source: ChainClient,
    messenger: Address.Address,
    token: Address.Address,
    destination: ChainClient
  ) {
    const now = yield* Clock.currentTimeMillis
    const key = `${source.chain.id}:${messenger}:${token}:${destination.chain.id}`
    const kept = Option.fromUndefinedOr(known.get(key)).pipe(Option.filter(({ untilMs }) => now < untilMs))
    if (Option.isSome(kept)) return kept.value.contracts
    const contracts = yield* readBoth(source, messenger, token, destination)
    known.set(key, { untilMs: now + LIFETIME_MILLIS, contracts })
    return contracts
  })
}
