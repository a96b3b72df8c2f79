/** The mark and the name of the app. */

export function Brand({ area }: { readonly area: string }) {
  return (
    <span className="inline-flex items-center gap-2.5">
      <svg aria-hidden="true" height="28" viewBox="0 0 32 32" width="28">
        <rect className="fill-accent-fill" height="32" rx="8" width="32" />
        <path
          d="M9 12.5h10.5a3.5 3.5 0 0 1 0 7H13m0 0 3-3m-3 3 3 3"
          fill="none"
          stroke="#fff"
          strokeLinecap="round"
          strokeLinejoin="round"
          strokeWidth="2.4"
        />
      </svg>
      <span className="text-lg font-semibold tracking-tight">Sweep</span>
      <span className="text-muted">{area}</span>
    </span>
  )
}
