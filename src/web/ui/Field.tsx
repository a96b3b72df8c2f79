/** Inputs with label, help and error, linked for screen readers. */
import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, useId } from "react"
import { classes } from "../lib/classes.ts"

interface Described {
  readonly label: string
  /** Shows the label to screen readers only, if the context makes it clear on screen. */
  readonly hideLabel?: boolean
  readonly help?: ReactNode
  readonly error?: string | undefined
}

const control = (invalid: boolean) =>
  classes(
    "h-9 w-full min-w-0 rounded-md border bg-surface px-3 text-ink shadow-card placeholder:text-muted",
    "focus-visible:outline-offset-0 disabled:opacity-60",
    invalid ? "border-bad" : "border-line-strong"
  )

function Frame({
  children,
  error,
  help,
  hideLabel = false,
  id,
  label
}: Described & { readonly id: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label className={hideLabel ? "sr-only" : "text-sm font-medium"} htmlFor={id}>
        {label}
      </label>
      {children}
      {error !== undefined ? (
        <p className="text-sm text-bad" id={`${id}-note`} role="alert">
          {error}
        </p>
      ) : (
        help !== undefined && (
          <p className="text-sm text-muted" id={`${id}-note`}>
            {help}
          </p>
        )
      )}
    </div>
  )
}

export function Input({
  className,
  error,
  help,
  hideLabel,
  label,
  ...rest
}: Described & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId()
  return (
    <Frame error={error} help={help} hideLabel={hideLabel ?? false} id={id} label={label}>
      <input
        aria-describedby={error !== undefined || help !== undefined ? `${id}-note` : undefined}
        aria-invalid={error !== undefined}
        className={classes(control(error !== undefined), className)}
        id={id}
        {...rest}
      />
    </Frame>
  )
}

export function Select({
  children,
  error,
  help,
  hideLabel,
  label,
  ...rest
}: Described & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId()
  return (
    <Frame error={error} help={help} hideLabel={hideLabel ?? false} id={id} label={label}>
      <select
        aria-describedby={error !== undefined || help !== undefined ? `${id}-note` : undefined}
        className={classes(control(error !== undefined), "pr-8")}
        id={id}
        {...rest}
      >
        {children}
      </select>
    </Frame>
  )
}

export interface CheckboxProps {
  readonly checked: boolean
  readonly children: ReactNode
  readonly onChange: (isChecked: boolean) => void
}

export function Checkbox({ checked, children, onChange }: CheckboxProps) {
  return (
    <label className="flex cursor-pointer items-start gap-2.5">
      <input
        checked={checked}
        className="mt-1 size-4 accent-(--accent-fill)"
        onChange={(event) => onChange(event.target.checked)}
        type="checkbox"
      />
      <span>{children}</span>
    </label>
  )
}
