/** The console's one search box. It is on every page, and keeps its text and the focus when the page below it changes. */
import { useLocation, useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { Button } from "../ui/Button.tsx"
import { Input } from "../ui/Field.tsx"

/** Text of the current search. Empty on other pages. */
const queryIn = (search: unknown): string =>
  typeof search === "object" && search !== null && "q" in search && typeof search.q === "string" ? search.q : ""

export function SearchBox() {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const current = pathname === "/admin/search" ? queryIn(search) : ""
  const [text, setText] = useState(current)
  useEffect(() => {
    if (current !== "") setText(current)
  }, [current])
  return (
    <form
      className="mb-5 flex items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        const q = text.trim()
        if (q !== "") void navigate({ to: "/admin/search", search: { q } })
      }}
      role="search"
    >
      <div className="min-w-0 flex-1">
        <Input
          autoComplete="off"
          hideLabel
          label="Search for an intent, transaction, owner, builder, batch or address"
          maxLength={200}
          onChange={(event) => setText(event.target.value)}
          placeholder="Intent, transaction, owner, builder, batch…"
          spellCheck={false}
          type="search"
          value={text}
        />
      </div>
      <Button icon="search" type="submit">
        Search
      </Button>
    </form>
  )
}
