/**
 * Why an answer of a service is not used. Whose fault it is decides what follows: an answer that does not suit its request is no route,
 * because anybody can ask for odd tokens and amounts. One that contradicts its request is a failure of the service.
 */
import { Effect } from "effect"
import { NoRoute } from "../../ports/orchestrator/SwapVenue.ts"
import type { Provider } from "./Provider.ts"
import type { ProviderUnavailable } from "./ProviderUnavailable.ts"

export interface Objection {
  /**
   * `unsuited`: the answer cannot be read, or has terms that are not accepted. `dishonest`: it names another recipient, spender, target,
   * token, amount or chain than it was asked for.
   */
  readonly kind: "unsuited" | "dishonest"
  /** Without bodies, keys and URLs. */
  readonly detail: string
}

export const unsuited = (detail: string): Objection => ({ kind: "unsuited", detail })
export const dishonest = (detail: string): Objection => ({ kind: "dishonest", detail })

/** The objection to what an answer has, as a sentence about it. */
export const inAnswer = ({ detail, kind }: Objection): Objection => ({ kind, detail: `the answer has ${detail}` })

/** Fails with what an objection means. A contradiction counts against the provider, and is logged each time. */
export const refuse = (
  provider: Pick<Provider, "name" | "unusable">,
  { detail, kind }: Objection
): Effect.Effect<never, NoRoute | ProviderUnavailable> =>
  kind === "dishonest"
    ? Effect.logWarning("provider.dishonest").pipe(
        Effect.annotateLogs({ provider: provider.name, detail }),
        Effect.andThen(Effect.fail(provider.unusable(detail)))
      )
    : Effect.logDebug("provider.unsuited").pipe(
        Effect.annotateLogs({ provider: provider.name, detail }),
        Effect.andThen(Effect.fail(new NoRoute({ detail: `${provider.name}: ${detail}` })))
      )
