/**
 * Amounts by day as bars, read with the pointer or the arrow keys. Screen readers get the same data as a table.
 */
import { type KeyboardEvent, useId, useState } from "react"
import { classes } from "../lib/classes.ts"
import { dayLabel } from "../lib/time.ts"

export interface Bar {
  /** `2026-03-01`. */
  readonly day: string
  readonly value: bigint
}

export interface BarChartProps {
  readonly title: string
  readonly bars: ReadonlyArray<Bar>
  readonly format: (value: bigint) => string
}

const HEIGHT = 168
const SCALE = 10_000n

/** Height as a share of the highest bar, 0 to 1. Used for drawing only. */
const share = (value: bigint, highest: bigint): number =>
  highest === 0n ? 0 : Number((value * SCALE) / highest) / Number(SCALE)

const highestOf = (bars: BarChartProps["bars"]): bigint =>
  bars.reduce((most, { value }) => (value > most ? value : most), 0n)

function Bars({
  bars,
  onPoint,
  pointed
}: Pick<BarChartProps, "bars"> & {
  readonly onPoint: (index: number | undefined) => void
  readonly pointed: number | undefined
}) {
  const highest = highestOf(bars)
  return (
    <svg className="block w-full" height={HEIGHT} preserveAspectRatio="none" viewBox={`0 0 ${bars.length} ${HEIGHT}`}>
      {[0.25, 0.5, 0.75].map((line) => (
        <line
          className="stroke-line"
          key={line}
          strokeDasharray="3 4"
          vectorEffect="non-scaling-stroke"
          x1="0"
          x2={bars.length}
          y1={HEIGHT * line}
          y2={HEIGHT * line}
        />
      ))}
      {bars.map(({ day, value }, index) => {
        const height = value === 0n ? 2 : Math.max(3, share(value, highest) * (HEIGHT - 4))
        return (
          <g key={day} onPointerEnter={() => onPoint(index)} onPointerLeave={() => onPoint(undefined)}>
            <rect fill="transparent" height={HEIGHT} width="1" x={index} y="0" />
            <rect
              className={classes(
                value === 0n ? "fill-line" : "fill-chart",
                pointed !== undefined && pointed !== index && "opacity-45"
              )}
              height={height}
              width="0.68"
              x={index + 0.16}
              y={HEIGHT - height}
            />
          </g>
        )
      })}
    </svg>
  )
}

/** The data for screen readers. A table ignores the size that hides it, so its container is hidden. */
function HiddenTable({ bars, format, title }: BarChartProps) {
  return (
    <div className="sr-only">
      <table>
        <caption>{title}</caption>
        <tbody>
          {bars
            .filter(({ value }) => value !== 0n)
            .map(({ day, value }) => (
              <tr key={day}>
                <th scope="row">{dayLabel(day)}</th>
                <td>{format(value)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  )
}

export function BarChart({ bars, format, title }: BarChartProps) {
  const [pointed, setPointed] = useState<number>()
  const id = useId()
  const highest = highestOf(bars)
  const shown = pointed === undefined ? undefined : bars[pointed]
  const step = (event: KeyboardEvent) => {
    const change = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0
    if (change === 0) return
    event.preventDefault()
    setPointed((at) => Math.min(bars.length - 1, Math.max(0, (at ?? bars.length - 1) + change)))
  }
  return (
    <figure aria-labelledby={id} className="min-w-0">
      <figcaption className="sr-only" id={id}>
        {title}
      </figcaption>
      <div aria-hidden="true" className="mb-2 flex h-6 items-baseline justify-between gap-4 text-sm text-muted">
        <span>{shown === undefined ? `Peak ${format(highest)}` : ""}</span>
        {shown !== undefined && (
          <span>
            {dayLabel(shown.day)} · <span className="font-medium text-ink tabular-nums">{format(shown.value)}</span>
          </span>
        )}
      </div>
      {/* The ARIA role for stepping through values is slider. Its text is the day and its amount. */}
      <div
        aria-label={title}
        aria-valuemax={bars.length - 1}
        aria-valuemin={0}
        aria-valuenow={pointed ?? bars.length - 1}
        aria-valuetext={shown === undefined ? title : `${dayLabel(shown.day)}: ${format(shown.value)}`}
        className="rounded-sm"
        onBlur={() => setPointed(undefined)}
        onKeyDown={step}
        role="slider"
        tabIndex={0}
      >
        <Bars bars={bars} onPoint={setPointed} pointed={pointed} />
      </div>
      <div aria-hidden="true" className="mt-2 flex justify-between text-xs text-muted">
        <span>{bars[0] === undefined ? "" : dayLabel(bars[0].day)}</span>
        <span>Today</span>
      </div>
      <HiddenTable bars={bars} format={format} title={title} />
    </figure>
  )
}
