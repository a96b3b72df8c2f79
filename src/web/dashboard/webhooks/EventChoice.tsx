/** Choice of a webhook's events: all, including future ones, or selected ones. */
import { useId } from "react"
import type { WebhookEventType } from "../../../domain/Webhook.ts"
import { EVENTS } from "./words.ts"

export interface EventChoiceProps {
  readonly all: boolean
  readonly chosen: ReadonlyArray<WebhookEventType>
  readonly error: string | undefined
  readonly onChange: (all: boolean, chosen: ReadonlyArray<WebhookEventType>) => void
}

const BOX = "mt-1 size-4 accent-(--accent-fill)"
const CHOICE = "flex cursor-pointer items-start gap-2.5"

export function EventChoice({ all, chosen, error, onChange }: EventChoiceProps) {
  const id = useId()
  return (
    <fieldset aria-describedby={error === undefined ? undefined : id} className="flex flex-col gap-2">
      <legend className="mb-1.5 text-sm font-medium">Events</legend>
      <label className={CHOICE}>
        <input checked={all} className={BOX} name={id} onChange={() => onChange(true, chosen)} type="radio" />
        <span>All events</span>
      </label>
      <label className={CHOICE}>
        <input checked={!all} className={BOX} name={id} onChange={() => onChange(false, chosen)} type="radio" />
        <span>Only these</span>
      </label>
      <div className="flex flex-col gap-1.5 pl-6.5">
        {EVENTS.map(([type, meaning]) => (
          <label className={all ? "flex items-start gap-2.5 opacity-60" : CHOICE} key={type}>
            <input
              checked={all || chosen.includes(type)}
              className={BOX}
              disabled={all}
              onChange={({ target: { checked } }) =>
                onChange(false, checked ? [...chosen, type] : chosen.filter((each) => each !== type))
              }
              type="checkbox"
            />
            <span>
              <code className="font-mono text-sm">{type}</code>
              <span className="block text-sm text-muted">{meaning}</span>
            </span>
          </label>
        ))}
      </div>
      {error !== undefined && (
        <p className="text-sm text-bad" id={id} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}
