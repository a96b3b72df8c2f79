/** Looks for tokens that no list has, by their addresses. */
import { useState } from "react"
import { getAddress, isAddress } from "viem"
import { sameAddress } from "../../sdk/model/Address.ts"
import { Button } from "../ui/Button.tsx"
import { Input } from "../ui/Field.tsx"
import type { Selection } from "./useSelection.ts"

/** Maximum number of tokens that one request names. */
const MOST = 20

export function LookFor({ selection }: { readonly selection: Selection }) {
  const { asked, found, lookFor, tokens } = selection
  const [typed, setTyped] = useState("")
  const [problem, setProblem] = useState<string>()
  const missing = asked.filter((address) => !tokens.some((token) => sameAddress(token.address, address)))
  const where = found.data?.unavailableChains === undefined ? "" : " on the chains that answered"
  const note =
    asked.length === 0 || !found.isSuccess || found.isFetching
      ? undefined
      : missing.length > 0
        ? `The account holds no token at ${missing.join(", ")}${where}.`
        : "Found. It is in the list."
  return (
    <details className="border-t border-line">
      <summary className="px-4 py-3 text-sm font-medium text-muted hover:bg-canvas hover:text-ink sm:px-5">
        A token is missing
      </summary>
      <form
        className="flex flex-wrap items-end gap-3 border-t border-line px-4 py-3 sm:px-5"
        onSubmit={(event) => {
          event.preventDefault()
          const address = typed.trim()
          if (!isAddress(address, { strict: false }))
            return setProblem("Enter the address of a token: 0x and 40 hex digits.")
          if (asked.length >= MOST)
            return setProblem(`${MOST} tokens were looked for. Reload the page to look for others.`)
          setProblem(undefined)
          setTyped("")
          lookFor(getAddress(address))
        }}
      >
        <div className="min-w-0 flex-1 basis-64">
          <Input
            autoComplete="off"
            error={problem}
            help={note}
            label="Address of the token"
            onChange={({ target }) => setTyped(target.value)}
            placeholder="0x…"
            spellCheck={false}
            value={typed}
          />
        </div>
        <Button busy={found.isFetching && asked.length > 0} type="submit">
          Look for it
        </Button>
      </form>
    </details>
  )
}
