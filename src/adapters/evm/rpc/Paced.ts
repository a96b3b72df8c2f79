/**
 * An endpoint whose requests keep its budget. Its answers and refusals teach the budget, except refusals of a method that it has switched
 * off ({@link RefusedMethod}).
 */
import { Cause, Clock, Effect, Exit, Option } from "effect"
import type { Priority } from "../../../ports/shared/Priority.ts"
import { RPC_DURATION, RPC_REQUESTS, RPC_WAIT } from "../../../telemetry/metrics/Upstreams.ts"
import { timed } from "../../../telemetry/Timed.ts"
import type * as Budget from "./Budget.ts"
import * as CallCost from "./CallCost.ts"
import { type Endpoint, RateLimited, RpcError, type RpcFailure } from "./JsonRpc.ts"
import * as RefusedMethod from "./RefusedMethod.ts"
import * as Turns from "./Turns.ts"

/** An endpoint that knows when it can be asked. */
export interface PacedEndpoint extends Endpoint {
  /** Milliseconds until a call of this priority, and of this method if it is given, would be sent. 0: at once. `now` in UNIX milliseconds. */
  readonly waitMillis: (priority: Priority, now: number, method?: string) => number
  /** Checks now that the endpoint serves its chain. Undefined if nothing checks that. */
  readonly recheck?: Effect.Effect<void, RpcFailure> | undefined
}

/** EIP-1474. */
const LIMIT_EXCEEDED = -32_005

const ONE_CALL = CallCost.ofMethod("eth_call")

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): "answered" | "failed" | "limited" => {
  if (Exit.isSuccess(exit)) return "answered"
  const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
  if (failure instanceof RpcError) return "answered"
  return failure instanceof RateLimited ? "limited" : "failed"
}

type Reply = Extract<Budget.Event, { readonly _tag: "Answered" | "Limited" }>

const eventOf = (exit: Exit.Exit<unknown, RpcFailure>, cost: Budget.Cost, sentAt: number): Reply | undefined => {
  if (Exit.isSuccess(exit)) return { _tag: "Answered", cost }
  const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
  switch (failure?._tag) {
    case "RpcError":
      return { _tag: "Answered", cost }
    case "RateLimited":
      return { _tag: "Limited", sentAt, retryAfterMillis: failure.retryAfterMillis }
    default:
      return undefined
  }
}

/** Not {@link RateLimited}, which would be repeated, nor {@link EndpointFailed}, after which other requests would avoid the endpoint. */
const switchedOff = (endpoint: string) =>
  new RpcError({
    endpoint,
    code: LIMIT_EXCEEDED,
    text: `refuses ${RefusedMethod.METHOD} each time, while it answers other methods`,
    data: undefined
  })

type Note = (event: Reply, now: number) => void

/** Makes requests that wait for their turns. `note` receives the replies. */
const makePaced = (name: string, chainId: number, turns: Turns.Turns) => {
  const labels = { chain_id: String(chainId), endpoint: name }
  /** A request that nobody awaits any more, such as a hedged one, is not counted. */
  const counted = timed((exit, seconds) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
      ? Effect.void
      : Effect.andThen(
          RPC_REQUESTS.record(1, { ...labels, outcome: outcomeOf(exit) }),
          RPC_DURATION.record(seconds, labels)
        )
  )
  const waited = timed((_, seconds) => RPC_WAIT.record(seconds, labels))

  return <A>(cost: Budget.Cost, answer: Effect.Effect<A, RpcFailure>, note: Note): Effect.Effect<A, RpcFailure> =>
    Effect.matchEffect(waited(turns.take(cost)), {
      onFailure: (millis) =>
        Effect.andThen(
          RPC_REQUESTS.record(1, { ...labels, outcome: "budget" }),
          Effect.fail(
            new RateLimited({
              endpoint: name,
              detail: `its budget is used up for ${millis} ms`,
              retryAfterMillis: millis
            })
          )
        ),
      onSuccess: (sentAt) =>
        Effect.onExit(counted(answer), (exit) => {
          const event = eventOf(exit, cost, sentAt)
          return event === undefined ? Effect.void : Effect.map(Clock.currentTimeMillis, (now) => note(event, now))
        })
    })
}

/** Limits `endpoint`, which has to be unpaced. The chain is that of its metrics. */
export const make = (endpoint: Endpoint, limits: Budget.Limits, chainId: number): Effect.Effect<PacedEndpoint> =>
  Effect.map(Clock.currentTimeMillis, (startMillis) => {
    const { name } = endpoint
    const turns = Turns.make(limits, startMillis)
    const paced = makePaced(name, chainId, turns)

    /** State of the method that the endpoint may have switched off. */
    let method = RefusedMethod.initial

    const noteMethod: Note = (event, now) => {
      // A refusal that names a time is for the rate.
      const isRefusal = event._tag === "Limited" && event.retryAfterMillis === undefined
      const before = method
      method = RefusedMethod.replied(before, isRefusal ? "limited" : "answered", now)
      if (!isRefusal || !RefusedMethod.isItsOwn(before)) turns.record(event, now)
      if (RefusedMethod.isOff(method) && !RefusedMethod.isOff(before)) turns.record({ _tag: "Mistaken" }, now)
    }

    const noteOther: Note = (event, now) => {
      method = RefusedMethod.repliedToOther(method, event._tag === "Limited" ? "limited" : "answered")
      turns.record(event, now)
    }

    const pacedMethod = <A>(cost: Budget.Cost, answer: Effect.Effect<A, RpcFailure>): Effect.Effect<A, RpcFailure> =>
      Effect.suspend(() => {
        /** State after this request began, until it has a reply. */
        let begun: RefusedMethod.RefusedMethod | undefined
        const asking = Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const wait = RefusedMethod.waitMillis(method, now)
          if (wait > 0) {
            return RefusedMethod.isOff(method)
              ? Effect.fail(switchedOff(name))
              : Effect.delay(pacedMethod(cost, answer), wait)
          }
          begun = method = RefusedMethod.asked(method, now)
          return paced(cost, answer, (event, repliedAt) => {
            begun = undefined
            noteMethod(event, repliedAt)
          })
        })
        // A request that had no turn, failed or was interrupted does not count as the one that tries the method.
        return Effect.onExit(asking, () =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            // Another state means that other requests had replies since.
            if (begun !== undefined && method === begun) method = RefusedMethod.unanswered(begun, now)
          })
        )
      })

    return {
      name,
      request: (called, params) =>
        called === RefusedMethod.METHOD
          ? pacedMethod(CallCost.ofMethod(called), endpoint.request(called, params))
          : paced(CallCost.ofMethod(called), endpoint.request(called, params), noteOther),
      requestAll: (lookups) => paced(CallCost.ofCalls(lookups), endpoint.requestAll(lookups), noteOther),
      waitMillis: (priority, now, asked) =>
        Math.max(
          turns.waitOf(ONE_CALL, priority, now),
          asked === RefusedMethod.METHOD ? RefusedMethod.waitMillis(method, now) : 0
        )
    }
  })
