// One picture or slider: unpack its parts into a shadow root, and show the frame that the range input points at.
(() => {
  const unpack = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };
  const start = async (root) => {
    if (root.dataset.started || !self.DecompressionStream) return;
    root.dataset.started = "1";
    const data = await unpack(root.querySelector("script").textContent);
    const host = root.querySelector(".randvar-live");
    const shadow = host.attachShadow({ mode: "open" });
    // Only markup of our own making is parsed; every text a person passed in is set as text.
    shadow.innerHTML = `<style>${data.css}</style>
      <svg role="img" viewBox="0 0 ${10 * data.width} ${10 * data.height}" fill="none" stroke-linejoin="round"
        font-family="system-ui, sans-serif"><defs>${data.defs}</defs><g>${data.base}</g><g></g></svg>
      <label hidden><span></span><input type="range" min="0" step="1" max="${data.frames.length - 1}"><output></output></label>
      <p role="status" aria-live="polite" hidden></p>`;
    host.style.maxWidth = `${1.4 * data.width}px`;
    const [picture, label, name, input, value, report] =
      ["svg", "label", "span", "input", "output", "p"].map((part) => shadow.querySelector(part));
    const layer = picture.lastElementChild;
    const follow = () => {
      // On a dark page, which has light ink, the colours are lit up as well.
      const [red, green, blue] = getComputedStyle(host).color.match(/[\d.]+/g).map(Number);
      picture.classList.toggle("dark", red + green + blue > 384);
    };
    const show = () => {
      follow();
      const frame = +input.value;
      const words = `${data.name} ${data.labels[frame]}`;
      layer.innerHTML = data.frames[frame].map((piece) => data.pieces[piece]).join("");
      value.value = data.labels[frame];
      report.textContent = data.reports[frame];
      input.setAttribute("aria-valuetext", words);
      picture.setAttribute("aria-label", `${data.alt}. ${words}. ${data.reports[frame]}`);
      root.dataset.frame = frame;
    };
    if (data.frames.length) {
      label.hidden = report.hidden = false;
      name.textContent = data.name;
      input.setAttribute("aria-label", data.name);
      input.value = data.active;
      input.addEventListener("input", show);
      // Notebooks have shortcuts on letters and arrows; Lumino asks the element that has the focus.
      host.dataset.lmSuppressShortcuts = "true";
      for (const kind of ["keydown", "keyup", "keypress"]) input.addEventListener(kind, (event) => event.stopPropagation());
      show();
    } else {
      follow();
      picture.setAttribute("aria-label", data.alt);
    }
    const still = root.querySelector(".randvar-still");
    still.hidden = true;
    still.style.display = "none";
  };
  for (const root of document.querySelectorAll("[data-randvar='@ID']")) {
    start(root).catch((error) => console.error("randvar", error));
  }
})();
