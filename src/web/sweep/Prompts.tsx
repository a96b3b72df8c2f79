/** Requests that the wallet will show, in order, with their chains. */
import type { BatchReview } from "../../sdk/index.ts"
import { lazily } from "../lib/lazily.ts"
import { promptsOf, type Wanted } from "./plan.ts"
import { useSession } from "./session.ts"

const listed = lazily(() => new Intl.ListFormat("en"))

export function Prompts({ review, wanted }: { readonly review: BatchReview; readonly wanted: Wanted }) {
  const { account, catalog } = useSession()
  const prompts = promptsOf(review, wanted)
  const asks = account.kind === "wallet" ? account.name : "Your wallet"
  return (
    <section aria-label="What your wallet asks" className="text-sm">
      <h3 className="font-medium">
        {asks} asks {prompts.length === 1 ? "once" : `${prompts.length} times`}
      </h3>
      <ol className="mt-1.5 flex flex-col gap-1.5">
        {prompts.map(({ chainIds, kind, replaces }, index) => (
          <li className="flex gap-2.5" key={`${kind} ${chainIds.join()}`}>
            <span
              aria-hidden="true"
              className="grid size-5 shrink-0 place-items-center rounded-full bg-accent-soft text-xs font-semibold text-accent"
            >
              {index + 1}
            </span>
            <span className="min-w-0">
              {kind === "sweep" ? (
                <>
                  The sweep{" "}
                  <span className="text-muted">
                    of everything on {listed().format(chainIds.map(catalog.chainName))}
                  </span>
                </>
              ) : (
                <>
                  Delegation on {listed().format(chainIds.map(catalog.chainName))}{" "}
                  {replaces ? (
                    <span className="font-medium text-warn">replaces the contract your account runs now</span>
                  ) : (
                    <span className="text-muted">the first time only</span>
                  )}
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
