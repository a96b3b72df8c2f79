/**
 * RPC endpoints of chains for the operator: shows them, and changes them on all replicas. A new endpoint is asked before it is stored,
 * and a chain keeps one that works. Every change is recorded, without the URL.
 */
import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import type { ChainFacts } from "../../domain/doctor/Endpoints.ts"
import {
  changed,
  type ChangeOfEndpoints,
  EndpointRefusal,
  type EndpointsView,
  MOST,
  type Objection,
  shown
} from "../../domain/EndpointChoice.ts"
import * as Examination from "../../domain/EndpointExamination.ts"
import { staleAfterSeconds } from "../../domain/HeadLag.ts"
import type { RpcEndpoint } from "../../domain/RpcEndpoint.ts"
import { Overrides } from "../../ports/shared/Overrides.ts"
import { RpcEndpoints } from "../../ports/orchestrator/RpcEndpoints.ts"
import { Chains, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import { SecretBox } from "../../ports/shared/SecretBox.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { KeptEndpoints, overrideName, placeOf, sealedOf, textOf } from "../shared/KeptEndpoints.ts"
import { KeptOverrides } from "../../runtime/KeptOverrides.ts"

/** The endpoints cannot be changed as asked. The detail has hosts, and no URLs. */
export class EndpointsRefused extends Schema.TaggedError<EndpointsRefused>()("EndpointsRefused", {
  reason: EndpointRefusal,
  detail: Schema.String
}) {}

export class EndpointDesk extends Context.Service<
  EndpointDesk,
  {
    /** The endpoints of every chain. */
    readonly list: Effect.Effect<ReadonlyArray<EndpointsView>, StoreUnavailable>
    /** Changes the endpoints of a chain. Repeating an addition or a clearing does nothing. */
    readonly change: (
      change: ChangeOfEndpoints,
      actor: string
    ) => Effect.Effect<EndpointsView, EndpointsRefused | UnsupportedChain | StoreUnavailable>
  }
>()("sweep/orchestrator/EndpointDesk") {
  static readonly layer = Layer.effect(
    EndpointDesk,
    // The methods are defined below.
    Effect.suspend(() => make)
  )
}

const refused = (reason: EndpointRefusal, detail: string) => new EndpointsRefused({ reason, detail })

const NO_KEY = refused(
  "no_secrets_key",
  "SECRETS_KEY is not set, and a URL may hold a key, so it is not stored. Set SECRETS_KEY to the same 32 random bytes on every replica, as 64 hex digits"
)

const UNREADABLE = refused(
  "unreadable",
  "this replica cannot read the chain's present choice. Set SECRETS_FORMER_KEY to the key that encrypted it, or clear the choice"
)

const OBJECTIONS: Readonly<Record<Objection, EndpointsRefused>> = {
  unknown: refused("unknown", "the chain has no endpoint of this id. List the endpoints again"),
  present: refused("present", "the chain has this endpoint already"),
  too_many: refused("too_many", `the chain has ${MOST} endpoints, which is the most. Remove one first`)
}

const isSame = (one: ReadonlyArray<RpcEndpoint>, other: ReadonlyArray<RpcEndpoint>): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Asks the endpoints that the chain would have, and decides. */
const makeExamined = (asking: RpcEndpoints["Service"]) =>
  Effect.fnUntraced(function* (
    chain: Chain,
    endpoints: ReadonlyArray<RpcEndpoint>,
    added: RpcEndpoint | undefined,
    takesAway: boolean
  ) {
    if (added !== undefined && !(yield* asking.isAllowed(added.url))) {
      const detail = `${new URL(added.url).host}: the host has an address that is not public. Name it in the chains file first`
      return yield* refused("not_public", detail)
    }
    const facts: ChainFacts = {
      id: chain.id,
      name: chain.name,
      staleSeconds: staleAfterSeconds(chain),
      nowMillis: yield* Clock.currentTimeMillis,
      ...(yield* asking.examine(endpoints))
    }
    const place = added === undefined ? -1 : endpoints.indexOf(added)
    const decision = Examination.decide(facts, { added: facts.endpoints[place], takesAway })
    if (Result.isFailure(decision)) return yield* refused(decision.failure.reason, decision.failure.detail)
    return decision.success
  })

const make = Effect.gen(function* () {
  const box = yield* SecretBox
  const chains = yield* Chains
  const asking = yield* RpcEndpoints
  const { current, refresh } = yield* KeptOverrides
  const { chosen, unreadable } = yield* KeptEndpoints
  const overrides = yield* Overrides
  const examined = makeExamined(asking)

  const choiceOf = (chain: Chain) =>
    Effect.map(current, (all) => sealedOf(all).find(({ chainId }) => chainId === chain.id)?.override)

  const viewOf = Effect.fnUntraced(function* (chain: Chain, warnings: ReadonlyArray<string>) {
    const choice = yield* choiceOf(chain)
    const configured = asking.configured(chain.id)
    return {
      chainId: chain.id,
      endpoints: ((yield* chosen).get(chain.id) ?? configured).map(shown),
      configured: configured.map(shown),
      chosen:
        choice === undefined
          ? null
          : {
              actor: choice.actor,
              reason: choice.reason,
              sinceMs: choice.sinceMs,
              isReadable: !(yield* unreadable).has(chain.id)
            },
      warnings
    } satisfies EndpointsView
  })

  const list = Effect.andThen(
    refresh,
    Effect.forEach(chains.all, ({ chain }) => viewOf(chain, []))
  )

  const change: EndpointDesk["Service"]["change"] = Effect.fn("EndpointDesk.change")(function* (wanted, actor) {
    const { action, chainId, reason = "" } = wanted
    const { chain } = yield* chains.get(chainId)
    yield* refresh
    const choice = yield* choiceOf(chain)
    if (action === "clear" && choice === undefined) return yield* viewOf(chain, [])
    if (action !== "clear") {
      if (box.current === undefined) return yield* NO_KEY
      if ((yield* unreadable).has(chainId)) return yield* UNREADABLE
    }
    const configured = asking.configured(chainId)
    const present = (yield* chosen).get(chainId) ?? configured
    const result = changed(wanted, present, configured)
    if (Result.isFailure(result)) return yield* OBJECTIONS[result.failure]
    const { added, endpoints } = result.success
    if (action !== "clear" && isSame(endpoints, present)) return yield* viewOf(chain, [])
    const warnings = yield* examined(chain, endpoints, added, action !== "add")
    const value = action === "clear" ? undefined : yield* box.seal(textOf(endpoints), placeOf(chainId))
    const host = added === undefined ? {} : { host: shown(added).host, endpoint: shown(added).id }
    const record = {
      actor,
      action: `endpoints.${action}`,
      subject: String(chainId),
      details: { reason, ...host, ...(action === "remove" ? { endpoint: wanted.id } : {}) }
    }
    const isChanged = yield* overrides.set(
      { name: overrideName(chainId), value, reason, expected: { value: choice?.value } },
      record
    )
    yield* refresh
    if (!isChanged) return yield* refused("changed_meanwhile", "somebody else changed the endpoints. List them again")
    yield* Effect.annotateLogs(Effect.logInfo("endpoints.changed"), { chainId, action, ...host })
    return yield* viewOf(chain, warnings)
  })

  return EndpointDesk.of({ list, change })
})
