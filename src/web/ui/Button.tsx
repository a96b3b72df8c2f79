/** A button. While busy it keeps its size and the focus, and cannot be pressed. */
import type { ButtonHTMLAttributes, ReactNode } from "react"
import { classes } from "../lib/classes.ts"
import { Icon, type IconName } from "./Icon.tsx"

export type Variant = "primary" | "secondary" | "danger" | "quiet"

const VARIANTS: Readonly<Record<Variant, string>> = {
  primary: "bg-accent-fill text-white shadow-card hover:bg-accent-fill-hover",
  secondary: "border border-line bg-surface text-ink shadow-card hover:bg-sunken",
  danger: "bg-bad-fill text-white shadow-card hover:opacity-90",
  quiet: "text-muted hover:bg-sunken hover:text-ink"
}

export const buttonClasses = (variant: Variant, small: boolean): string =>
  classes(
    "relative inline-flex items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap transition-colors",
    small ? "h-8 px-2.5 text-sm" : "h-9 px-3.5",
    "disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-progress aria-disabled:opacity-55",
    VARIANTS[variant]
  )

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: Variant
  readonly small?: boolean
  readonly busy?: boolean
  readonly icon?: IconName
  readonly children: ReactNode
}

const cancelPress = (event: { readonly preventDefault: () => void }): void => event.preventDefault()

export function Button({
  busy = false,
  children,
  className,
  disabled,
  icon,
  onClick,
  small = false,
  type = "button",
  variant = "secondary",
  ...rest
}: ButtonProps) {
  return (
    <button
      aria-busy={busy}
      // A disabled button would lose the focus to the page.
      aria-disabled={busy ? true : undefined}
      className={classes(buttonClasses(variant, small), className)}
      disabled={disabled}
      // It stays the submit button of its form. Without one, Enter in the form's only field would submit the form.
      onClick={busy ? cancelPress : onClick}
      type={type}
      {...rest}
    >
      <span className={classes("inline-flex items-center gap-2", busy && "invisible")}>
        {icon !== undefined && <Icon name={icon} />}
        {children}
      </span>
      {busy && (
        <span className="absolute inset-0 grid place-items-center">
          <span className="size-4 animate-spin rounded-full border-2 border-current border-t-transparent" />
          <span className="sr-only">working</span>
        </span>
      )}
    </button>
  )
}
