/** The steps of a sweep at which a process can be killed, by what passes between it and the rest of the world. */
import { Effect } from "effect"
import { type Call, isSimulation, type Reaction } from "../test/support/FaultProxy.ts"
import type * as Backend from "./Backend.ts"
import type * as PostgresTap from "./PostgresTap.ts"

/** The place at which a point is observed. */
type Sight =
  | ({ readonly at: "database" } & PostgresTap.Trap)
  | { readonly at: "node"; readonly when: "before" | "after"; readonly isSuch: (call: Call) => boolean }
  | ({ readonly at: "backend" } & Backend.Trap)
  /** The client has its 201. */
  | { readonly at: "client" }

export interface KillPoint {
  readonly name: string
  readonly sight: Sight
}

const statement = (name: string, when: PostgresTap.Trap["when"], pattern: RegExp): KillPoint => ({
  name,
  sight: { at: "database", when, isSuch: (text) => pattern.test(text) }
})

const call = (name: string, when: "before" | "after", such: string | ((call: Call) => boolean)): KillPoint => ({
  name,
  sight: { at: "node", when, isSuch: typeof such === "string" ? ({ method }) => method === such : such }
})

const post = (name: string, when: "before" | "after", path: string): KillPoint => ({
  name,
  sight: { at: "backend", when, path }
})

const SUBMISSION = /SET status = 'submitted'/
const CLAIM = /orchestrator\.claim_intents\(/
const ALLOCATION = /orchestrator\.allocate_nonce\(/
const BROADCAST = /SET broadcast_at = /
const SETTLEMENT = /INSERT INTO orchestrator\.outbox/
const CONCLUSION = /INSERT INTO orchestrator\.relay_spending/
const OUTBOX_CLAIM = /UPDATE orchestrator\.outbox \w+ SET held_until = \$/
const ACKNOWLEDGEMENT = /UPDATE orchestrator\.outbox SET state = 'delivered'/

/** In the order of a sweep's life. */
export const KILL_POINTS: ReadonlyArray<KillPoint> = [
  statement("before the submission is stored", "before", SUBMISSION),
  statement("submission stored, not answered", "after with rows", SUBMISSION),
  { name: "submission answered", sight: { at: "client" } },
  statement("claimed, not known to be", "after with rows", CLAIM),
  call("claimed, before the simulation", "before", isSimulation),
  call("simulated, nothing stored", "after", isSimulation),
  statement("signed, nothing stored", "before", ALLOCATION),
  statement("stored, not known to be", "after with rows", ALLOCATION),
  call("before the broadcast", "before", "eth_sendRawTransaction"),
  call("broadcast, reply lost", "after", "eth_sendRawTransaction"),
  statement("broadcast, not marked", "before", BROADCAST),
  call("receipt read, nothing booked", "after", "eth_getTransactionReceipt"),
  statement("before the settlement is booked", "before", SETTLEMENT),
  statement("settlement booked, not known to be", "after with rows", SETTLEMENT),
  statement("settled, transaction not concluded", "before", CONCLUSION),
  statement("transaction concluded", "after", CONCLUSION),
  statement("accrual claimed, not offered", "after with rows", OUTBOX_CLAIM),
  post("accrual offered, not accepted", "before", "/accruals"),
  post("accrual accepted, not marked", "after", "/accruals"),
  statement("accrual accepted, mark not stored", "before", ACKNOWLEDGEMENT)
]

/** Cuts off a call to the node at a point: the call does not arrive, or its answer does not. An empty answer does not count. */
export const reaction =
  (when: "before" | "after", caught: () => boolean): Reaction =>
  (forward) =>
    when === "before"
      ? Effect.suspend(() => (caught() ? Effect.never : forward))
      : Effect.flatMap(forward, (answer) => {
          const isEmpty = answer.result === null || answer.result === undefined
          return !isEmpty && caught() ? Effect.never : Effect.succeed(answer)
        })
