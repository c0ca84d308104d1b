const COUNT = 9;
const STEP = 95;

/** Sound that spreads: decoration behind the name. */
export function Waves() {
  return (
    <svg
      aria-hidden
      viewBox="0 0 1000 1000"
      preserveAspectRatio="xMinYMax slice"
      className="absolute inset-0 -z-10 size-full text-accent"
    >
      {Array.from({ length: COUNT }, (_, index) => (
        <circle
          key={index}
          cx="0"
          cy="1000"
          r={STEP * (index + 1)}
          fill="none"
          stroke="currentColor"
          strokeWidth={2 + (COUNT - index) * 1.5}
          opacity={0.17 - index * 0.016}
        />
      ))}
    </svg>
  );
}
