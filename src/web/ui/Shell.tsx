/** Navigation next to the page or, on narrow screens, above it. */
import { Link, type LinkProps, useLocation } from "@tanstack/react-router"
import { type ReactNode, useEffect, useState } from "react"
import { classes } from "../lib/classes.ts"
import { Badge, type Tone } from "./Badge.tsx"
import { Brand } from "./Brand.tsx"
import { Button } from "./Button.tsx"
import { Icon, type IconName } from "./Icon.tsx"
import { Repeating } from "./Repeating.tsx"
import { ThemeChoice } from "./ThemeChoice.tsx"

export interface Destination {
  readonly to: NonNullable<LinkProps["to"]>
  readonly label: string
  readonly icon: IconName
  /** Active only for the exact path, not for paths below it. */
  readonly exact?: boolean
  /** Count of what needs attention there. `label` is for screen readers. */
  readonly badge?: { readonly text: string; readonly label: string; readonly tone: Tone }
}

export interface ShellProps {
  /** Name of this part of the app: `Builders`, `Admin`. */
  readonly area: string
  readonly destinations: ReadonlyArray<Destination>
  /** The signed-in user and the sign-out button. */
  readonly account: ReactNode
  readonly children: ReactNode
}

const MAIN = "main"

export function Shell({ account, area, children, destinations }: ShellProps) {
  const { pathname } = useLocation()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(false), [pathname])
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <a
        className="sr-only z-50 rounded-md bg-accent-fill px-4 py-2 text-white focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
        href={`#${MAIN}`}
      >
        Skip to content
      </a>
      <Repeating />
      <header className="border-line bg-surface max-lg:border-b lg:border-r">
        <div className="lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col">
          <div className="flex h-14 items-center justify-between px-4 lg:h-16 lg:px-5">
            <Brand area={area} />
            <Button
              aria-controls="navigation"
              aria-expanded={isOpen}
              aria-label="Menu"
              className="lg:hidden"
              onClick={() => setOpen(!isOpen)}
              variant="quiet"
            >
              <Icon name={isOpen ? "close" : "menu"} size={20} />
            </Button>
          </div>
          <div
            className={classes("flex-1 flex-col px-3 pb-4 lg:flex lg:overflow-y-auto", isOpen ? "flex" : "hidden")}
            id="navigation"
          >
            <nav aria-label={area}>
              <ul className="flex flex-col gap-0.5">
                {destinations.map(({ badge, exact = false, icon, label, to }) => (
                  <li key={label}>
                    <Link
                      activeOptions={{ exact }}
                      activeProps={{ className: "bg-accent-soft text-accent" }}
                      className="flex h-9 items-center gap-2.5 rounded-md px-2.5 font-medium"
                      inactiveProps={{ className: "text-muted hover:bg-sunken hover:text-ink" }}
                      to={to}
                    >
                      <Icon name={icon} />
                      {label}
                      {badge !== undefined && (
                        <span className="ml-auto" title={badge.label}>
                          <span aria-hidden="true">
                            <Badge tone={badge.tone}>{badge.text}</Badge>
                          </span>
                          <span className="sr-only">{badge.label}</span>
                        </span>
                      )}
                    </Link>
                  </li>
                ))}
              </ul>
            </nav>
            <div className="mt-4 flex flex-col gap-3 border-t border-line px-2 pt-4 lg:mt-auto">
              {account}
              <div>
                <ThemeChoice />
              </div>
            </div>
          </div>
        </div>
      </header>
      <main className="min-w-0 px-4 py-6 sm:px-8 lg:py-8" id={MAIN} tabIndex={-1}>
        <div className="mx-auto max-w-[68rem]">{children}</div>
      </main>
    </div>
  )
}
