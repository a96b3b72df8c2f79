/** Chooses a token or a builder to pause. */
import { type FormEvent, useId, useState } from "react"
import { BUILDER_ID_FORM } from "../../../domain/BuilderId.ts"
import type { PauseSubject } from "../../../domain/Pause.ts"
import type { TokenBook } from "../../api/tokens.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { Input, Select } from "../../ui/Field.tsx"
import { ChangeDialog } from "./ChangeDialog.tsx"
import { builderOf, tokenOf } from "./pauseSubject.ts"
import { subjectText } from "./subjectText.ts"

type Scope = "builder" | "token"

function Choose({
  book,
  onChosen,
  onClose
}: {
  readonly book: TokenBook
  readonly onChosen: (subject: PauseSubject) => void
  readonly onClose: () => void
}) {
  const [scope, setScope] = useState<Scope>("token")
  const [chainId, setChainId] = useState(String(book.chains[0]?.id ?? ""))
  const [text, setText] = useState("")
  const [error, setError] = useState<string>()
  const form = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const name = text.trim()
    const subject = scope === "builder" ? builderOf(name) : tokenOf(Number(chainId), name)
    if (subject !== undefined) return onChosen(subject)
    setError(
      scope === "builder"
        ? `Enter the id of the builder: ${BUILDER_ID_FORM}.`
        : "Enter the address of the token: 0x and 40 hexadecimal digits."
    )
  }
  return (
    <Dialog
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button form={form} type="submit" variant="primary">
            Continue
          </Button>
        </>
      }
      onClose={onClose}
      title="Pause a token or a builder"
    >
      <form className="flex flex-col gap-4" id={form} onSubmit={submit}>
        <Select
          label="Pause"
          onChange={(event) => {
            setScope(event.target.value === "builder" ? "builder" : "token")
            setError(undefined)
          }}
          value={scope}
        >
          <option value="token">A token, on one chain</option>
          <option value="builder">A builder</option>
        </Select>
        {scope === "token" && (
          <Select label="Chain" onChange={(event) => setChainId(event.target.value)} value={chainId}>
            {book.chains.map(({ id }) => (
              <option key={id} value={id}>
                {book.chainName(id)}
              </option>
            ))}
          </Select>
        )}
        <Input
          autoComplete="off"
          error={error}
          label={scope === "token" ? "Address of the token" : "Id of the builder"}
          onChange={(event) => setText(event.target.value)}
          required
          spellCheck={false}
          value={text}
        />
      </form>
    </Dialog>
  )
}

export function PauseOther({ book }: { readonly book: TokenBook }) {
  const [isChoosing, setChoosing] = useState(false)
  const [subject, setSubject] = useState<PauseSubject>()
  return (
    <>
      <Button onClick={() => setChoosing(true)} small>
        Pause a token or a builder
      </Button>
      {isChoosing && (
        <Choose
          book={book}
          onChosen={(chosen) => {
            setChoosing(false)
            setSubject(chosen)
          }}
          onClose={() => setChoosing(false)}
        />
      )}
      {subject !== undefined && (
        <ChangeDialog
          onClose={() => setSubject(undefined)}
          pause={{ subject, state: "running", configured: "running" }}
          text={subjectText(subject, book)}
        />
      )}
    </>
  )
}
