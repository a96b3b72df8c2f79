/** Choice of the light, the dark or the system's theme. */
import { classes } from "../lib/classes.ts"
import { setTheme, type Theme, useTheme } from "../lib/theme.ts"
import { Icon, type IconName } from "./Icon.tsx"

const CHOICES: ReadonlyArray<readonly [theme: Theme, label: string, icon: IconName]> = [
  ["light", "Light", "sun"],
  ["dark", "Dark", "moon"],
  ["system", "System", "system"]
]

export function ThemeChoice() {
  const theme = useTheme()
  return (
    <fieldset className="inline-flex rounded-md border border-line bg-sunken p-0.5">
      <legend className="sr-only">Colour theme</legend>
      {CHOICES.map(([value, label, icon]) => (
        <label
          className={classes(
            "grid size-7 cursor-pointer place-items-center rounded-sm has-focus-visible:outline-2 has-focus-visible:outline-accent",
            theme === value ? "bg-surface text-ink shadow-card" : "text-muted hover:text-ink"
          )}
          key={value}
          title={label}
        >
          <input
            checked={theme === value}
            className="sr-only"
            name="theme"
            onChange={() => setTheme(value)}
            type="radio"
            value={value}
          />
          <Icon name={icon} size={14} />
          <span className="sr-only">{label}</span>
        </label>
      ))}
    </fieldset>
  )
}
