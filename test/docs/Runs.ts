/** Every page in every shell, the shells side by side. A page runs in one shell at a time, since it has its own accounts and batches. */
import { Context, Deferred, Effect, Layer, Semaphore } from "effect"
import { type CodeBlock, codeBlocks } from "./Markdown.ts"
import { FIRST_PAGE, Reader } from "./Reader.ts"
import * as Session from "./Session.ts"

interface Run {
  readonly shell: string
  readonly page: string
}

export interface Outcome {
  readonly blocks: ReadonlyArray<CodeBlock>
  readonly ran: Session.Ran
}

const keyOf = ({ page, shell }: Run): string => `${shell} ${page}`

/** Pages of a shell in order. The first page installs what the others use. Then each shell begins at another page. */
const ordered = (shells: ReadonlyArray<string>, pages: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<Run>> => {
  const others = pages.filter((page) => page !== FIRST_PAGE)
  return shells.map((shell, index) => {
    const from = Math.floor((others.length * index) / shells.length)
    return [FIRST_PAGE, ...others.slice(from), ...others.slice(0, from)].map((page) => ({ shell, page }))
  })
}

export class Runs extends Context.Service<Runs, { readonly of: (run: Run) => Effect.Effect<Outcome> }>()(
  "sweep/test/docs/Runs"
) {
  static layer(shells: ReadonlyArray<string>, pages: ReadonlyArray<string>) {
    return Layer.effect(
      Runs,
      Effect.gen(function* () {
        const { folder } = yield* Reader
        const runs = ordered(shells, pages)
        const outcomes = new Map(runs.flat().map((run) => [keyOf(run), Deferred.makeUnsafe<Outcome>()]))
        const locks = new Map(pages.map((page) => [page, Semaphore.makeUnsafe(1)]))
        const outcomeOf = (run: Run) => outcomes.get(keyOf(run)) ?? Deferred.makeUnsafe<Outcome>()

        const perform = (run: Run) => {
          const blocks = codeBlocks(run.page)
          const place = folder(run.shell, run.page.replaceAll(/[^a-z]+/gi, "-"))
          const session = Effect.map(
            Effect.promise(() => Session.run(run.shell, place, blocks)),
            (ran): Outcome => ({ blocks, ran })
          )
          return Effect.flatMap(Effect.exit(locks.get(run.page)?.withPermit(session) ?? session), (exit) =>
            Deferred.done(outcomeOf(run), exit)
          )
        }
        yield* Effect.forkScoped(
          Effect.forEach(runs, (ofShell) => Effect.forEach(ofShell, perform, { discard: true }), {
            concurrency: "unbounded",
            discard: true
          })
        )
        return Runs.of({ of: (run) => Deferred.await(outcomeOf(run)) })
      })
    )
  }
}
