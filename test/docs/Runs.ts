/** Every page in every shell, two at a time. A page runs in one shell at once, since its accounts and batches are its own. */
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

/** The first page in every shell, since it installs what the others use. Then each shell begins at another page. */
const ordered = (shells: ReadonlyArray<string>, pages: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<Run>> => {
  const others = pages.filter((page) => page !== FIRST_PAGE)
  const rotated = shells.map((shell, index) => {
    const from = Math.floor((others.length * index) / shells.length)
    return [...others.slice(from), ...others.slice(0, from)].map((page) => ({ shell, page }))
  })
  return [
    shells.map((shell) => ({ shell, page: FIRST_PAGE })),
    others.flatMap((_, index) => rotated.flatMap((each) => each.slice(index, index + 1)))
  ]
}

export class Runs extends Context.Service<Runs, { readonly of: (run: Run) => Effect.Effect<Outcome> }>()(
  "sweep/test/docs/Runs"
) {
  static layer(shells: ReadonlyArray<string>, pages: ReadonlyArray<string>) {
    return Layer.effect(
      Runs,
      Effect.gen(function* () {
        const { folder } = yield* Reader
        const [first, others] = ordered(shells, pages)
        const all = [...(first ?? []), ...(others ?? [])]
        const outcomes = new Map(all.map((run) => [keyOf(run), Deferred.makeUnsafe<Outcome>()]))
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
          Effect.andThen(
            Effect.forEach(first ?? [], perform, { discard: true }),
            Effect.forEach(others ?? [], perform, { concurrency: 2, discard: true })
          )
        )
        return Runs.of({ of: (run) => Deferred.await(outcomeOf(run)) })
      })
    )
  }
}
