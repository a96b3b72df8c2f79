/** Copies a text, and confirms it for a moment. */
import { useEffect, useState } from "react"
import { buttonClasses } from "./Button.tsx"
import { Icon } from "./Icon.tsx"
import { toast } from "./Toast.tsx"

const SAID_MILLIS = 1_500

const useCopy = (text: string) => {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), SAID_MILLIS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => toast.failed(undefined)
    )
  }
  return { copied, copy }
}

/** A copy button next to its text. */
export function CopyIcon({ label, text }: { readonly text: string; readonly label: string }) {
  const { copied, copy } = useCopy(text)
  return (
    <button
      aria-label={copied ? "Copied" : label}
      className="inline-grid size-6 place-items-center rounded-sm text-muted hover:bg-sunken hover:text-ink"
      onClick={copy}
      title={label}
      type="button"
    >
      <Icon name={copied ? "check" : "copy"} size={14} />
    </button>
  )
}

export function CopyButton({ label = "Copy", text }: { readonly text: string; readonly label?: string }) {
  const { copied, copy } = useCopy(text)
  return (
    <button className={buttonClasses("secondary", true)} onClick={copy} type="button">
      <Icon name={copied ? "check" : "copy"} size={14} />
      <span aria-live="polite">{copied ? "Copied" : label}</span>
    </button>
  )
}

/** A secret or a snippet with a copy button. */
export function CopyBlock({ label, text }: { readonly text: string; readonly label: string }) {
  return (
    <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
      <code className="min-w-0 flex-1 font-mono text-sm break-all" data-testid="secret">
        {text}
      </code>
      <CopyButton text={text} label={label} />
    </div>
  )
}
