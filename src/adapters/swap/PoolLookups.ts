/**
 * Asks the factories of all exchanges of a chain which pools exist, in few calls: the lookups that are made at the same moment share them,
 * and each is made once, whichever exchanges and pairs need it. Factories alone are called, so no token can fail the others' lookups.
 */
import { Context, Effect, Exit, Request, RequestResolver } from "effect"
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

const failAll = (entries: ReadonlyArray<Entry>, error: ChainUnavailable) =>
  Effect.sync(() => {
    for (const entry of entries) entry.completeUnsafe(Exit.fail(error))
  })

/** Makes all lookups in the same calls. */
const askTogether = Effect.fnUntraced(function* (client: ChainClient, entries: ReadonlyArray<Entry>) {
  const distinct = new Map(entries.flatMap(({ request }) => request.reads.map((read) => [keyOf(read), read])))
  const answers = yield* Multicall3.read(client, [...distinct.values()])
  const answerOf = new Map([...distinct.keys()].map((key, index) => [key, answers[index] ?? Multicall3.NONE]))
  for (const entry of entries) {
    const own = entry.request.reads.map((read) => answerOf.get(keyOf(read)) ?? Multicall3.NONE)
    entry.completeUnsafe(Exit.succeed(own))
  }
})

export const make = (): LookUp => {
  const resolver = RequestResolver.makeWith<Asked>({
    batchKey: ({ context, request }) => `${request.client.chain.id} ${Context.get(context, Priority.Current)}`,
    // Lets every running fiber add its lookups first.
    delay: Effect.yieldNow,
    collectWhile: () => true,
    runAll: (entries) => {
      const [{ request }, ...others] = entries
      return others.length === 0
        ? askAlone(entries)
        : Effect.catch(askTogether(request.client, entries), (error) =>
            // A node that is down or busy is not asked again by each exchange.
            Multicall3.mayDivide(error) ? askAlone(entries) : failAll(entries, error)
          )
    }
  })
  return (client, reads) =>
    reads.length === 0 ? Effect.succeed([]) : Effect.request(new Asked({ client, reads }), resolver)
}
