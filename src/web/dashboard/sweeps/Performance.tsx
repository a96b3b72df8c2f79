/** What the overview shows of sweeps: one script, loaded once the overview stands. */
export { SweepStats } from "./SweepStats.tsx"
export { VolumeCard } from "./VolumeCard.tsx"
