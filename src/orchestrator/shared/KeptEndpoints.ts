/**
 * The operator's choices of RPC endpoints among the overrides, decrypted. A choice that cannot be read changes nothing: the endpoints
 * that this process has stay in use.
 */
import { Context, Effect, Layer, Option, Redacted, Schema, Semaphore } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import { RpcEndpoint } from "../../domain/RpcEndpoint.ts"
import type { Override } from "../../ports/shared/Overrides.ts"
import { type Chosen, EndpointChoices } from "../../ports/shared/EndpointChoices.ts"
import { type Place, SecretBox } from "../../ports/shared/SecretBox.ts"
import { KeptOverrides } from "../../runtime/KeptOverrides.ts"

const PREFIX = "endpoints:"

/** Name of the override of a chain's endpoints. */
export const overrideName = (chainId: ChainId): string => `${PREFIX}${chainId}`

/** Place of the sealed endpoints. */
export const placeOf = (chainId: ChainId): Place => ({
  column: "operator_overrides.value",
  row: overrideName(chainId)
})

const chainOf = ({ name }: Override): ChainId | undefined => {
  if (!name.startsWith(PREFIX)) return undefined
  const chainId = Number(name.slice(PREFIX.length))
  return Number.isSafeInteger(chainId) && overrideName(chainId) === name ? chainId : undefined
}

/** The choices among overrides, as they are stored, with their chains. */
export const sealedOf = (
  overrides: ReadonlyArray<Override>
): ReadonlyArray<{ readonly chainId: ChainId; readonly override: Override }> =>
  overrides.flatMap((override) => {
    const chainId = chainOf(override)
    return chainId === undefined ? [] : [{ chainId, override }]
  })

const Stored = Schema.fromJsonString(Schema.NonEmptyArray(RpcEndpoint))
const decode = Schema.decodeOption(Stored)

/** Text of endpoints that is sealed. */
export const textOf = (endpoints: ReadonlyArray<RpcEndpoint>): Redacted.Redacted =>
  Redacted.make(JSON.stringify(endpoints))

interface Known {
  /** Choices as stored, which were read or could not be. */
  readonly sealed: ReadonlyMap<ChainId, string>
  readonly chosen: Chosen
  readonly unreadable: ReadonlySet<ChainId>
}

const NOTHING: Known = { sealed: new Map(), chosen: new Map(), unreadable: new Set() }

export class KeptEndpoints extends Context.Service<
  KeptEndpoints,
  {
    /** Endpoints by chain, where the operator chose them. Follows the overrides that this process knows. */
    readonly chosen: Effect.Effect<Chosen>
    /** Chains whose choice this process cannot read. */
    readonly unreadable: Effect.Effect<ReadonlySet<ChainId>>
  }
>()("sweep/orchestrator/KeptEndpoints") {
  static readonly layer = Layer.effect(
    KeptEndpoints,
    // The methods are defined below.
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const box = yield* SecretBox
  const { current } = yield* KeptOverrides
  const turn = Semaphore.makeUnsafe(1)
  let seen: ReadonlyArray<Override> | undefined
  let known = NOTHING

  const opened = (chainId: ChainId, sealed: string) =>
    box.open(sealed, placeOf(chainId)).pipe(
      Effect.map((text) => decode(Redacted.value(text))),
      Effect.orElseSucceed(Option.none)
    )

  const read = Effect.fnUntraced(function* (overrides: ReadonlyArray<Override>) {
    const sealed = new Map<ChainId, string>()
    const chosen = new Map<ChainId, ReadonlyArray<RpcEndpoint>>()
    const unreadable = new Set<ChainId>()
    for (const { chainId, override } of sealedOf(overrides)) {
      const kept = known.chosen.get(chainId)
      sealed.set(chainId, override.value)
      const isSame = known.sealed.get(chainId) === override.value && !known.unreadable.has(chainId)
      const endpoints = isSame ? kept : Option.getOrUndefined(yield* opened(chainId, override.value))
      if (endpoints === undefined) unreadable.add(chainId)
      const inUse = endpoints ?? kept
      if (inUse !== undefined) chosen.set(chainId, inUse)
    }
    known = { sealed, chosen, unreadable }
  })

  const follow = Effect.fnUntraced(function* (overrides: ReadonlyArray<Override>) {
    if (overrides === seen) return known
    yield* read(overrides)
    seen = overrides
    return known
  }, turn.withPermit)

  const now = Effect.flatMap(current, (overrides) => (overrides === seen ? Effect.succeed(known) : follow(overrides)))

  return KeptEndpoints.of({
    chosen: Effect.map(now, ({ chosen }) => chosen),
    unreadable: Effect.map(now, ({ unreadable }) => unreadable)
  })
})

/** Follows the overrides of this process. */
export const layer = Layer.effect(
  EndpointChoices,
  Effect.map(KeptEndpoints, ({ chosen }) => chosen)
).pipe(Layer.provideMerge(KeptEndpoints.layer))
