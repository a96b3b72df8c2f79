/** Line icons of one weight. They are decorative, and the text next to them has the meaning. */

const PATHS = {
  activity: "M3 12h4l3-8 4 16 3-8h4",
  alert: "M12 9v4m0 4h.01M10.3 3.9 2.4 17.6A2 2 0 0 0 4.1 20.6h15.8a2 2 0 0 0 1.7-3L13.7 3.9a2 2 0 0 0-3.4 0Z",
  arrowRight: "M5 12h14m-6-6 6 6-6 6",
  book: "M4 5.5A2.5 2.5 0 0 1 6.5 3H20v15H6.5A2.5 2.5 0 0 0 4 20.5Zm0 15A2.5 2.5 0 0 0 6.5 23H20v-5",
  builders:
    "M16 20v-1.5a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4V20m7-9a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm13 9v-1.5a4 4 0 0 0-3-3.9M16 3.1a4 4 0 0 1 0 7.8",
  chart: "M4 20V10m6 10V4m6 16v-7m4 7H2",
  check: "m5 13 4.5 4.5L19 7",
  chevron: "m9 6 6 6-6 6",
  close: "M6 6l12 12M18 6 6 18",
  code: "m8 7-5 5 5 5m8-10 5 5-5 5",
  copy: "M9 9h10a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H9a1 1 0 0 1-1-1V10a1 1 0 0 1 1-1ZM16 9V4a1 1 0 0 0-1-1H4a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1h4",
  download: "M12 4v11m-5-4.5 5 5 5-5M4 20h16",
  edit: "M4 20h4L19 9l-4-4L4 16Zm9-13 4 4",
  external: "M14 4h6v6m0-6-9 9M18 14v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h5",
  home: "M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1Z",
  key: "M14.5 12.5a5 5 0 1 0-3-3L3 18v3h3.5v-2.5H9V16h2.5ZM16.5 7.5h.01",
  lock: "M6 11h12a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-8a1 1 0 0 1 1-1Zm2 0V8a4 4 0 0 1 8 0v3",
  logout: "M10 20H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1h5m5 4 4 4-4 4m4-4H9",
  menu: "M4 7h16M4 12h16M4 17h16",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z",
  payout: "M3 7h18v11H3Zm3.5 8.5h3M12 10.5a2 2 0 1 1 0 4 2 2 0 0 1 0-4Z",
  refresh: "M20 11a8 8 0 0 0-14.5-4L4 9m0-5v5h5M4 13a8 8 0 0 0 14.5 4l1.5-2m0 5v-5h-5",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm9 2-4-4",
  settings:
    "M4 7h9m5 0h2M4 17h2m5 0h9M15.5 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm-7 10a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z",
  share: "M12 15V3m-4 4 4-4 4 4M5 12v7a1 1 0 0 0 1 1h12a1 1 0 0 0 1-1v-7",
  sun: "M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM12 2v2m0 16v2M2 12h2m16 0h2M4.9 4.9l1.4 1.4m11.4 11.4 1.4 1.4m0-14.2-1.4 1.4M6.3 17.7l-1.4 1.4",
  sweeps: "M4 8h13l-3-3m3 3-3 3M20 16H7l3-3m-3 3 3 3",
  system: "M4 5h16v11H4Zm5 15h6m-3-4v4",
  wallet: "M19 8V6a1 1 0 0 0-1-1H5a2 2 0 0 0 0 4h15a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H5a2 2 0 0 1-2-2V7m14 7.5h.01",
  webhook: "M21 3 3 10.5l7 3.5 3.5 7Zm0 0L10 14"
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      aria-hidden="true"
      className="shrink-0"
      fill="none"
      height={size}
      stroke="currentColor"
      strokeLinecap="round"
      strokeLinejoin="round"
      strokeWidth="1.8"
      viewBox="0 0 24 24"
      width={size}
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
