/** The choice of bridges. The deposits of each are followed, also of those that are not offered. */
import { Effect, Layer, type Redacted } from "effect"
import * as BestBridge from "../../adapters/bridge/BestBridge.ts"
import * as Cctp from "../../adapters/bridge/Cctp.ts"
import * as LiFiBridge from "../../adapters/bridge/LiFiBridge.ts"
import * as Relay from "../../adapters/bridge/Relay.ts"
import { Bridge } from "../../ports/orchestrator/Bridge.ts"
import { ProviderStates } from "../../ports/shared/ProviderStates.ts"

export interface Options {
  /** Names of the bridges that are offered beside Across. Default: none. */
  readonly offered?: ReadonlyArray<string>
  /** Value that each bridge may carry on the word of its service, in US dollars. Default: 0. */
  readonly maxInFlightUsd?: number
  /** Default: 60. */
  readonly timeValueBpsPerHour?: number
  readonly relay?: { readonly apiUrl: string; readonly apiKey: Redacted.Redacted | undefined }
  readonly cctp?: Pick<Cctp.Options, "apiUrl">
  readonly liFi?: Pick<LiFiBridge.Options, "apiKey" | "apiUrl" | "integrator">
}

const TIME_VALUE_BPS_PER_HOUR = 60

/** Shows the service of a bridge to operators only if it is offered. Others are asked about their earlier deposits alone. */
const listedIf =
  (isListed: boolean) =>
  <A, E, R>(made: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    isListed
      ? made
      : Effect.provideService(made, ProviderStates, { register: () => Effect.void, all: Effect.succeed([]) })

/** Across, and the bridges beside it. Across reads what no other bridge reads. */
export const layer = <E, R>(
  across: Layer.Layer<Bridge, E, R>,
  { cctp, liFi, offered = [], relay, timeValueBpsPerHour = TIME_VALUE_BPS_PER_HOUR }: Options = {}
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const bridge = yield* Bridge
      const isOffered = (name: string): boolean => offered.includes(name)
      const bpsPerHour = timeValueBpsPerHour
      const bridges = [
        yield* listedIf(isOffered(Cctp.NAME))(Cctp.make({ ...cctp, bpsPerHour, isOffered: isOffered(Cctp.NAME) })),
        yield* listedIf(isOffered(Relay.NAME))(Relay.make({ ...relay, isOffered: isOffered(Relay.NAME) })),
        yield* listedIf(isOffered(LiFiBridge.NAME))(
          LiFiBridge.make({ ...liFi, across: bridge, isOffered: isOffered(LiFiBridge.NAME) })
        )
      ]
      const fallback = { name: "across", bridge, isOffered: true, reads: () => true }
      return BestBridge.layer({ fallback, bridges, bpsPerHour })
    })
  ).pipe(Layer.provide(across))
