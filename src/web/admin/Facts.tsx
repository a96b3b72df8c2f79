/** Names and values of an alert or an action, unchanged. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, string | number | boolean>> }) {
  const entries = Object.entries(facts)
  if (entries.length === 0) return null
  return (
    <dl className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
      {entries.map(([name, value]) => (
        <div className="flex min-w-0 gap-1.5" key={name}>
          <dt className="text-muted">{name}</dt>
          <dd className="font-mono text-xs leading-5 break-all">{String(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
