"""What a model writes, understood while it is written: reasoning, content and tool calls.

    format = detect(template)                                  # detect: OutputFormat, a frozen value
    opened = format.reasoning.open_in(prompt[-200:])            # the template itself opened the reasoning
    parser = OutputParser(format, thinking_open=opened, tools=schemas(request_tools))  # parser, call_syntax
    for text in texts:                                         # any cuts; control tokens of `format.preserved` shown
        for piece in parser.feed(text): ...                    # TextDelta | ToolCallDelta, `predicted_n` is 0
    for piece in parser.finish(): ...                          # what was held back
    grammar = grammar_for(format, schemas(tools), name=None, parallel=True, thinking_open=opened)   # call_grammar

`format.preserved`: texts of control tokens whose pieces must reach the parser although control tokens are not
shown otherwise. Reasoning is always split; without tools, the syntax of calls is ordinary text. The pieces do not
depend on how the text was cut.
"""
