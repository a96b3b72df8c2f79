/**
 * Asks the factories of all exchanges of a chain which pools exist, in few calls: the lookups that are made at the same moment share them,
 * and each is made once, whichever exchanges and pairs need it. Factories alone are called, so no token can fail the others' lookups. A pair
 * waits only for the calls that hold its own lookups, and fails only with them. A call that has not begun when the node fails to answer another
 * one fails with it.
 */
import { Array, Context, Effect, Exit, Request, RequestResolver } from "effect"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"

type Answers = ReadonlyArray<Multicall3.Answer>

/** Returns the answers to the reads, in their order. */
export type LookUp = (
  client: ChainClient,
  reads: ReadonlyArray<Multicall3.Read>
) => Effect.Effect<Answers, ChainUnavailable>

class Asked extends Request.Class<
  { readonly client: ChainClient; readonly reads: ReadonlyArray<Multicall3.Read> },
  Answers,
  ChainUnavailable
> {}

type Entry = Request.Entry<Asked>

const keyOf = ({ data, to }: Multicall3.Read): string => to + data

/** Makes the lookups of each entry in calls of its own: a factory that uses up the gas of a call fails no other exchange. */
const askAlone = (entries: ReadonlyArray<Entry>) =>
  Effect.forEach(
    entries,
    (entry) =>
      Effect.map(Effect.exit(Multicall3.read(entry.request.client, entry.request.reads)), (exit) =>
        entry.completeUnsafe(exit)
      ),
    { concurrency: "unbounded", discard: true }
  )

/** Reads in one call, well within the gas and size limits of nodes. */
const READS_IN_CALL = 200

/** Calls in flight at once, for the lookups of one moment. */
const CONCURRENCY = 16

/** An entry that is not completed yet. */
interface Waiting {
  readonly entry: Entry
  /** Indexes of the calls that it waits for. */
  readonly calls: Set<number>
}

/** Makes each lookup once, in calls side by side. */
const askTogether = Effect.fnUntraced(function* (client: ChainClient, entries: ReadonlyArray<Entry>) {
  const distinct = new Map(entries.flatMap(({ request }) => request.reads.map((read) => [keyOf(read), read])))
  const callOf = new Map([...distinct.keys()].map((key, index) => [key, Math.floor(index / READS_IN_CALL)]))
  const answerOf = new Map<string, Multicall3.Answer>()
  const waiting = new Set(
    entries.map((entry): Waiting => ({
      entry,
      calls: new Set(entry.request.reads.flatMap((read) => callOf.get(keyOf(read)) ?? []))
    }))
  )

  /** Removes and returns the entries that have reads in the call. */
  const failed = (call: number): ReadonlyArray<Entry> => {
    const own = [...waiting].filter(({ calls }) => calls.has(call))
    for (const each of own) waiting.delete(each)
    return own.map(({ entry }) => entry)
  }

  const answered = (call: number, reads: ReadonlyArray<Multicall3.Read>, answers: Answers): void => {
    for (const [index, read] of reads.entries()) answerOf.set(keyOf(read), answers[index] ?? Multicall3.NONE)
    for (const each of waiting) {
      const { calls, entry } = each
      if (!calls.delete(call) || calls.size > 0) continue
      waiting.delete(each)
      const own = entry.request.reads.map((read) => answerOf.get(keyOf(read)) ?? Multicall3.NONE)
      entry.completeUnsafe(Exit.succeed(own))
    }
  }

  /** The failure of a node that is down or busy. Calls that have not begun by then are not made. */
  let down: ChainUnavailable | undefined

  const fail = (call: number, error: ChainUnavailable): void => {
    down = error
    for (const entry of failed(call)) entry.completeUnsafe(Exit.fail(error))
  }

  const ask = (reads: ReadonlyArray<Multicall3.Read>, call: number) =>
    Effect.suspend(() =>
      // The first calls begin together.
      down !== undefined && call >= CONCURRENCY
        ? Effect.succeed(fail(call, down))
        : Effect.matchEffect(Multicall3.read(client, reads, { batch: READS_IN_CALL }), {
            onSuccess: (answers) => Effect.sync(() => answered(call, reads, answers)),
            onFailure: (error) =>
              Multicall3.mayDivide(error) ? askAlone(failed(call)) : Effect.sync(() => fail(call, error))
          })
    )

  yield* Effect.forEach(Array.chunksOf([...distinct.values()], READS_IN_CALL), ask, {
    concurrency: CONCURRENCY,
    discard: true
  })
})

export const make = (): LookUp => {
  const resolver = RequestResolver.makeWith<Asked>({
    batchKey: ({ context, request }) => `${request.client.chain.id} ${Context.get(context, Priority.Current)}`,
    // Lets every running fiber add its lookups first.
    delay: Effect.yieldNow,
    collectWhile: () => true,
    runAll: (entries) => {
      const [{ request }, ...others] = entries
      return others.length === 0 ? askAlone(entries) : askTogether(request.client, entries)
    }
  })
  return (client, reads) =>
    reads.length === 0 ? Effect.succeed([]) : Effect.request(new Asked({ client, reads }), resolver)
}
