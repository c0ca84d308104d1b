export interface Point {
  x: number;
  y: number;
}

/** What an SVG path needs to draw a line through the points; where one is null the line has a gap, and a point alone is a dot. */
export function linePath(points: readonly (Point | null)[]): string {
  let path = "";
  let isDrawing = false;
  for (const point of points) {
    if (point === null) {
      isDrawing = false;
      continue;
    }
    const at = `${round(point.x)} ${round(point.y)}`;
    // A line to the same place makes the dot visible, with round ends, until another point follows.
    path += isDrawing ? `L${at}` : `M${at}L${at}`;
    isDrawing = true;
  }
  return path;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
