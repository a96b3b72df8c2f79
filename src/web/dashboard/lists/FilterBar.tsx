/** Filters of a list: a search, and a choice for each of its columns. Every change asks the server. */
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react"
import type { TokenBook } from "../../api/tokens.ts"
import { shorten } from "../../lib/shorten.ts"
import { Button } from "../../ui/Button.tsx"
import { Input, Select } from "../../ui/Field.tsx"
import { useFocusHome } from "../../ui/useFocusHome.ts"
import { changed, isFiltered, type ListFilter } from "./filter.ts"

type Choices = ReadonlyArray<readonly [value: string, label: string]>

export interface ListToken {
  readonly chainId: number | undefined
  readonly token: string
}

export interface FilterBarProps {
  readonly filter: ListFilter
  readonly onChange: (filter: ListFilter) => void
  /** Hint about the texts that the search finds. */
  readonly finds: string
  readonly status: { readonly label: string; readonly any: string; readonly choices: Choices }
  readonly type?: { readonly label: string; readonly any: string; readonly choices: Choices }
  /** Chains and tokens to choose from. Default: neither is a filter. */
  readonly book?: TokenBook
  readonly tokens?: ReadonlyArray<ListToken>
}

function Choice({
  any,
  choices,
  label,
  onChange,
  value
}: {
  readonly label: string
  readonly any: string
  readonly choices: Choices
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}) {
  return (
    <Select
      label={label}
      onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
      value={value ?? ""}
    >
      <option value="">{any}</option>
      {choices.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </Select>
  )
}

function Search({
  finds,
  onSearch,
  text
}: {
  readonly finds: string
  readonly text: string
  readonly onSearch: (text: string) => void
}) {
  const [typed, setTyped] = useState(text)
  const last = useRef(text)
  // The address may change without the box, such as by a link or on the way back.
  useEffect(() => {
    if (text !== last.current) setTyped(text)
    last.current = text
  }, [text])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    last.current = typed.trim()
    onSearch(typed.trim())
  }
  return (
    <form className="col-span-full flex items-end gap-2" onSubmit={submit} role="search">
      <div className="min-w-0 flex-1">
        <Input
          label="Search"
          maxLength={200}
          onChange={({ target }) => setTyped(target.value)}
          placeholder={finds}
          type="search"
          value={typed}
        />
      </div>
      <Button type="submit">Search</Button>
    </form>
  )
}

const tokenChoices = (book: TokenBook, tokens: ReadonlyArray<ListToken>, chain: number | undefined): Choices =>
  tokens
    .filter(({ chainId }) => chain === undefined || chainId === chain)
    .map(({ chainId, token }) => {
      const name = book.token(chainId, token)?.symbol ?? shorten(token)
      const place = chainId === undefined ? "" : ` on ${book.chainName(chainId)}`
      return [`${chainId ?? ""}:${token}`, `${name}${place}`] as const
    })

/** A chosen token fixes its chain, since other chains may have another token at its address. */
function TokenChoice({
  book,
  filter,
  onChange,
  tokens
}: Pick<FilterBarProps, "filter" | "onChange"> & {
  readonly book: TokenBook
  readonly tokens: ReadonlyArray<ListToken>
}) {
  const { chain, token } = filter
  const value = token === undefined ? undefined : `${chain ?? ""}:${token}`
  const listed = tokenChoices(book, tokens, chain)
  // A link may name a token that is not listed.
  const isListed = token === undefined || listed.some(([each]) => each === value)
  return (
    <Choice
      any="All tokens"
      choices={isListed ? listed : [...listed, ...tokenChoices(book, [{ chainId: chain, token }], chain)]}
      label="Token"
      onChange={(chosen) => {
        if (chosen === undefined) return onChange(changed(filter, { token: undefined }))
        const [chainId = "", address = ""] = chosen.split(":")
        onChange(changed(filter, { token: address, chain: chainId === "" ? chain : Number(chainId) }))
      }}
      value={value}
    />
  )
}

function Clear({ onClear }: { readonly onClear: () => void }) {
  const leaving = useFocusHome()
  return (
    <div className="grid" ref={leaving}>
      <Button onClick={onClear} variant="quiet">
        Clear filters
      </Button>
    </div>
  )
}

export function FilterBar({ book, filter, finds, onChange, status, tokens, type }: FilterBarProps): ReactNode {
  const { chain, from, q, to } = filter
  return (
    <div className="grid grid-cols-2 items-end gap-3 border-b border-line px-4 py-3 sm:grid-cols-3 sm:px-5 xl:grid-cols-5">
      <Search
        finds={finds}
        onSearch={(text) => onChange(changed(filter, { q: text === "" ? undefined : text }))}
        text={q ?? ""}
      />
      <Choice {...status} onChange={(value) => onChange(changed(filter, { status: value }))} value={filter.status} />
      {type !== undefined && (
        <Choice {...type} onChange={(value) => onChange(changed(filter, { type: value }))} value={filter.type} />
      )}
      {book !== undefined && (
        <Choice
          any="All chains"
          choices={book.chains.map(({ id }) => [String(id), book.chainName(id)] as const)}
          label="Chain"
          onChange={(value) =>
            onChange(changed(filter, { chain: value === undefined ? undefined : Number(value), token: undefined }))
          }
          value={chain === undefined ? undefined : String(chain)}
        />
      )}
      {book !== undefined && tokens !== undefined && (
        <TokenChoice book={book} filter={filter} onChange={onChange} tokens={tokens} />
      )}
      <Input
        label="From (UTC)"
        max={to}
        onChange={({ target }) => onChange(changed(filter, { from: target.value === "" ? undefined : target.value }))}
        type="date"
        value={from ?? ""}
      />
      <Input
        label="To (UTC)"
        min={from}
        onChange={({ target }) => onChange(changed(filter, { to: target.value === "" ? undefined : target.value }))}
        type="date"
        value={to ?? ""}
      />
      {isFiltered(filter) && <Clear onClear={() => onChange({})} />}
    </div>
  )
}
