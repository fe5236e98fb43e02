"""The language model behind an OpenAI or compatible service."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from drift_assets.errors import CallError, CallTooLong, ItemFailed
from drift_assets.fingerprint import fingerprint
from drift_assets.language.apis import Ask, Form, Reply, ask_chat, ask_responses
from drift_assets.language.calls import Limiter, Patience, call
from drift_assets.language.events import NotStreamed
from drift_assets.language.named import named
from drift_assets.language.outputs import InvalidOutput, read_output
from drift_assets.language.prices import price_usd
from drift_assets.language.prompts import RENDERING, prompt_version, read_prompt, render
from drift_assets.language.schemas import task_schema
from drift_assets.language.service import RequestRejected, failed_answer, refuses_streams, translate
from drift_assets.language.streaming import hearing
from drift_assets.language.tasks import Extract, Glean, O_co, Report, Resolve, Summarise, Task
from drift_assets.language.usage import Meter, Usage
from drift_assets.settings import Settings
from drift_assets.tokens import count_tokens

if TYPE_CHECKING:
    from openai import AsyncOpenAI

INDEX_TASKS = (Extract, Glean, Resolve, Summarise, Report)
FORMS: tuple[Form, ...] = ("json_schema", "json_object", "text")


def task_model(settings: Settings, kind: type[Task[Any]]) -> str:
    """The model that performs `kind`."""
    own = settings.index_model if kind in INDEX_TASKS else settings.search_model
    return own or settings.model


def model_version(settings: Settings, kind: type[Task[Any]]) -> str:
    """Changes with the prompt file, the form of the answer, the model and its effort; not with the API or address."""
    return fingerprint(
        "openai",
        prompt_version(kind, settings.prompts),
        RENDERING,
        task_schema(kind),
        task_model(settings, kind),
        settings.effort,
    )


class OpenAILanguageModel:
    """Performs each task by one structured answer, asked for once more when it is not of the wanted form.

    In chat mode a service that rejects JSON schemas is asked for plain JSON, then for nothing but text: the first
    form that it takes is kept. What is said aloud (see `streaming`) is streamed. Every answer's tokens are counted,
    also of those that bring no result.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        client: AsyncOpenAI,
        meter: Meter,
        limiter: Limiter,
        patience: Patience | None = None,
    ) -> None:
        self._settings = settings
        self._client = client
        self._meter = meter
        self._limiter = limiter
        self._patience = patience or Patience(attempts=settings.call_attempts, timeout=settings.call_timeout)
        self._streams = True
        self._form: Form | None = "json_schema" if settings.api == "responses" else None

    def origin(self, task: type[Task[Any]]) -> str:
        """`openai:<model>`."""
        return f"openai:{task_model(self._settings, task)}"

    def version(self, task: type[Task[Any]]) -> str:
        """As `model_version`."""
        return model_version(self._settings, task)

    async def perform(self, task: Task[O_co]) -> O_co:
        """The validated output; raises what `LanguageModel.perform` says."""
        kind = type(task)
        prompt = render(task, self._settings.prompts)
        ask = Ask(
            model=task_model(self._settings, kind),
            instructions=prompt.instructions,
            turns=(prompt.input,),
            name=kind.name(),
            schema=task_schema(kind, task.types if isinstance(task, Extract | Glean) else ()),
            effort=self._settings.effort,
            max_output_tokens=self._settings.max_output_tokens,
        )
        text = await self._text(ask)
        try:
            return self._read(text, task)
        except InvalidOutput as error:
            self._meter.flaw("asked_again", f"{named(task)}: asked again, since {error}")
            # An empty answer is no turn of a conversation.
            said = text if text.strip() else "(empty)"
            ask = replace(ask, turns=(*ask.turns, said, self._again(error)))
        try:
            return self._read(await self._text(ask), task)
        except InvalidOutput as error:
            self._meter.flaw("unparsed", f"{named(task)}: given up, since {error}")
            raise ItemFailed(f"{ask.model} gave no valid {ask.name} in two tries: {error}") from None

    def _again(self, error: InvalidOutput) -> str:
        return read_prompt("again", self._settings.prompts).strip().replace("{error}", str(error))

    def _read(self, text: str, task: Task[O_co]) -> O_co:
        output, repaired = read_output(text, type(task).output)
        if repaired:
            self._meter.flaw("repaired", f"{named(task)}: repaired")
        return cast(O_co, output)

    async def _text(self, ask: Ask) -> str:
        if self._form is not None:
            return await self._send(replace(ask, form=self._form))
        rejected: list[RequestRejected] = []
        for form in FORMS:
            try:
                text = await self._send(replace(ask, form=form))
            except RequestRejected as error:
                rejected.append(error)
                continue
            self._form = self._form or form
            return text
        # Rejected in every form: it is the request, not its form.
        raise rejected[0]

    async def _send(self, ask: Ask) -> str:
        async def request() -> Reply:
            return await self._request(ask)

        reply = await call(
            request,
            service=ask.model,
            count=Usage(language_calls=1),
            limiter=self._limiter,
            meter=self._meter,
            patience=self._patience,
        )
        return reply.text

    async def _request(self, ask: Ask) -> Reply:
        from openai import OpenAIError

        try:
            reply = await self._reply(ask)
        except (OpenAIError, ValueError) as error:
            key = self._settings.openai_api_key
            raise translate(error, model=ask.model, key=key.get_secret_value() if key else None) from None
        self._meter.add(usage_of(ask, reply, base_url=self._settings.openai_base_url))
        if failure := failure_of(ask, reply):
            raise failure
        return reply

    async def _reply(self, ask: Ask) -> Reply:
        """The reply, streamed where somebody listens; from a service that does not stream in one piece."""
        from openai import APIStatusError

        send = ask_responses if self._settings.api == "responses" else ask_chat
        hear = hearing() if self._streams else None
        if hear is None:
            return await send(self._client, ask)
        hear("")
        try:
            return await send(self._client, ask, hear)
        except NotStreamed:
            hear("")
        except APIStatusError as error:
            if not refuses_streams(error):
                raise
        self._meter.begin(Usage(language_calls=1))
        reply = await send(self._client, ask)
        self._streams = False
        return reply


def usage_of(ask: Ask, reply: Reply, *, base_url: str | None) -> Usage:
    """Tokens and cost of one answer.

    Our own count stands in where the service gives none, so that a limit on tokens still holds; the cost is then
    unknown.
    """
    if reply.tokens is None:
        given = count_tokens(ask.instructions) + sum(count_tokens(turn) for turn in ask.turns)
        return Usage(input_tokens=given, output_tokens=count_tokens(reply.text), cost_usd=None)
    tokens = reply.tokens
    cost = price_usd(
        ask.model,
        base_url=base_url,
        input_tokens=tokens.input,
        cached_tokens=tokens.cached,
        output_tokens=tokens.output,
    )
    return Usage(input_tokens=tokens.input, cached_tokens=tokens.cached, output_tokens=tokens.output, cost_usd=cost)


def failure_of(ask: Ask, reply: Reply) -> CallError | None:
    """What an answer that is not whole means, or None for a whole one."""
    match reply.ending:
        case "whole":
            return None
        case "cut":
            return CallTooLong(
                f"{ask.model}: the output of {ask.name} was cut off; it may have {ask.max_output_tokens} tokens "
                "(DRIFT_MAX_OUTPUT_TOKENS)"
            )
        case "filtered":
            return ItemFailed(f"{ask.model}: the service's content filter stopped the output of {ask.name}")
        case "refused":
            return ItemFailed(f"{ask.model} refused {ask.name}")
        case "failed":
            return failed_answer(reply.code, model=ask.model)
