/** An alert with its message, start and details. */
import { Badge } from "../ui/Badge.tsx"
import { Time } from "../ui/Time.tsx"
import { Facts } from "./Facts.tsx"

export interface AlertSummaryProps {
  readonly alert: {
    readonly severity: "warning" | "critical"
    readonly message: string
    readonly kind: string
    readonly sinceMs: number
    readonly details: Readonly<Record<string, string | number | boolean>>
  }
}

export function AlertSummary({ alert }: AlertSummaryProps) {
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={alert.severity === "critical" ? "bad" : "warn"}>
          {alert.severity === "critical" ? "Critical" : "Warning"}
        </Badge>
        <span className="font-medium">{alert.message}</span>
      </p>
      <p className="mt-1 text-sm text-muted">
        {alert.kind} · since <Time ms={alert.sinceMs} />
      </p>
      <Facts facts={alert.details} />
    </div>
  )
}
